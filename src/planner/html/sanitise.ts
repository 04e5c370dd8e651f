import sanitizeHtml from 'sanitize-html';
import { judgedAddress, type AddressUse, type DroppedAddress } from './address.js';
import { shallowHtml } from './document.js';
import { EMBEDS, isEmbed, NO_ALLOWANCE, ownLook, type MarkupAllowance } from './markup-allowance.js';

type Attributes = Readonly<Record<string, string>>;

/** The elements that generated HTML may have, each with its allowed attributes. */
const ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  ...withoutAttributes(
    'p br hr div span h1 h2 h3 h4 h5 h6 blockquote pre code ul ol li dl dt dd strong b em i u s small sub sup mark ' +
      'table caption thead tbody tfoot tr figure figcaption',
  ),
  a: ['href', 'title', 'rel'],
  abbr: ['title'],
  img: ['src', 'alt', 'title', 'width', 'height'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan', 'scope'],
};

/** Deeper elements lose their tags but keep their text. */
const DEEPEST_MARKUP = 50;

/** Search engines must not follow generated links, and the opened page must not control the shop's page. */
const LINK_RELATION = 'nofollow noopener';

/**
 * Generated HTML in the form that may reach a shop (docs/security.md): text, lists, tables, links to other sites and
 * images by `https`. Scripts, styles and forms are removed, and so is what `allowance` does not give. `judgedAddress` decides about each
 * address: an image without an allowed one is removed, and a link loses its tag and keeps its text. `dropped` receives these
 * addresses. The work is linear in the length, and sanitising twice changes nothing.
 */
export function sanitiseHtml(
  html: string,
  allowance: MarkupAllowance = NO_ALLOWANCE,
  dropped: DroppedAddress[] = [],
): string {
  const elements = allowance.embedHosts.size === 0 ? ELEMENTS : { ...ELEMENTS, ...EMBEDS };
  const attributes = Object.entries(elements).map(([name, own]): [string, string[]] => [
    name,
    [...own, 'class', 'style'],
  ]);
  const options: sanitizeHtml.IOptions = {
    allowedTags: Object.keys(elements),
    allowedAttributes: Object.fromEntries(attributes),
    allowedSchemes: ['https', 'mailto', 'tel'],
    allowProtocolRelative: false,
    parseStyleAttributes: false,
    selfClosing: ['br', 'hr', 'img', 'source'],
    nestingLimit: DEEPEST_MARKUP,
    transformTags: {
      '*': (name, given) => safeTag(name, given, { allowance, dropped }),
      // Browsers read the content of an iframe as text, so it could hide an end tag.
      iframe: (tagName, attribs) => ({ tagName, attribs, text: '' }),
    },
  };
  // Twice: in `<p><center><p>`, removing `center` puts one paragraph into the other, and only a second parse separates them.
  return sanitizeHtml(sanitizeHtml(shallowHtml(html), options), options).trim();
}

interface Judging {
  readonly allowance: MarkupAllowance;
  readonly dropped: DroppedAddress[];
}

/** No element has this name, so the library leaves out the tag and keeps the content. */
const NO_TAG: sanitizeHtml.Tag = { tagName: '', attribs: {} };

/** The tag with safe addresses and without a look that the merchant's description lacks. The library drops other attributes. */
function safeTag(name: string, given: Attributes, judging: Judging): sanitizeHtml.Tag {
  const safe = safeAttributes(name, given, judging);
  return safe === null ? NO_TAG : { tagName: name, attribs: safe };
}

/** Null: the element may not stay. */
function safeAttributes(name: string, given: Attributes, judging: Judging): Record<string, string> | null {
  const { allowance, dropped } = judging;
  const { class: _class, style: _style, rel: _rel, ...plain } = given;
  const attributes = { ...plain, ...ownLook(name, given, allowance) };
  const keeps = (attribute: string, use: AddressUse): boolean =>
    keepAddress(attributes, attribute, { ...judging, use });
  if (isEmbed(name)) {
    if (allowance.embedHosts.size === 0) {
      noteDropped(dropped, 'embed', given['src'], 'the merchant embeds nothing');
      return null;
    }
    // A video may name its address in elements within it.
    const needsAddress = name !== 'video' || attributes['src'] !== undefined;
    if (needsAddress && !keeps('src', 'embed')) return null;
    if (attributes['poster'] !== undefined && !keeps('poster', 'picture')) delete attributes['poster'];
  }
  if (name === 'img' && !keeps('src', 'picture')) return null;
  if (name !== 'a') return attributes;
  if (!keeps('href', 'link')) return null;
  const isPage = attributes['href']?.startsWith('https:') === true;
  return isPage ? { ...attributes, rel: LINK_RELATION } : attributes;
}

/** Replaces the address by its safe form; false when the address is not allowed. */
function keepAddress(
  attributes: Record<string, string>,
  name: string,
  { use, allowance, dropped }: Judging & { readonly use: AddressUse },
): boolean {
  const given = attributes[name] ?? '';
  const { pictureHosts: pictures, embedHosts: embeds } = allowance;
  const judged = judgedAddress(given, use, { pictures, embeds });
  if ('refused' in judged) {
    noteDropped(dropped, use, given, judged.refused);
    return false;
  }
  attributes[name] = judged.address;
  return true;
}

/** A text that consists of addresses must not become a list that is longer than it. */
const MOST_DROPPED = 20;
const LONGEST_DROPPED = 200;

function noteDropped(
  dropped: DroppedAddress[],
  use: AddressUse,
  given: string | undefined,
  reason: string,
): void {
  const address = given?.trim().slice(0, LONGEST_DROPPED) ?? '';
  if (address !== '' && dropped.length < MOST_DROPPED) dropped.push({ use, address, reason });
}

function withoutAttributes(names: string): Record<string, readonly string[]> {
  return Object.fromEntries(names.split(' ').map((name) => [name, []]));
}
