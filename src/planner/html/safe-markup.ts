import { judgedAddress, type AddressUse, type DroppedAddress } from './address.js';
import { escapeText, escapeAttribute } from './escape.js';
import { VOID_ELEMENTS, walkHtml, type HtmlEvents, type HtmlTag } from './walk.js';
import { embedAttributes, isEmbed, NO_ALLOWANCE, ownLook, type MarkupAllowance } from './markup-allowance.js';

/** The elements that generated HTML may have, each with its allowed attributes. */
export const ALLOWED_ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  ...withoutAttributes(['p', 'br', 'hr', 'div', 'span', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote']),
  ...withoutAttributes([
    'pre',
    'code',
    'ul',
    'ol',
    'li',
    'dl',
    'dt',
    'dd',
    'strong',
    'b',
    'em',
    'i',
    'u',
    's',
  ]),
  ...withoutAttributes(['small', 'sub', 'sup', 'mark', 'table', 'caption', 'thead', 'tbody', 'tfoot', 'tr']),
  ...withoutAttributes(['figure', 'figcaption']),
  a: ['href', 'title', 'rel'],
  abbr: ['title'],
  img: ['src', 'alt', 'title', 'width', 'height'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan', 'scope'],
};

/** Deeper elements lose their tags but keep their text. */
export const DEEPEST_MARKUP = 50;

/** Elements whose content is not for readers. */
const DROPPED_WITH_CONTENT: ReadonlySet<string> = new Set(['script', 'style', 'textarea', 'option', 'xmp']);

/** Search engines must not follow generated links, and the opened page must not control the shop's page. */
const LINK_RELATION = 'nofollow noopener';

/**
 * HTML reduced to allowed elements and attributes, nested at most `DEEPEST_MARKUP` deep. `judgedAddress` decides about each address:
 * an image without an allowed one is removed, and a link loses its tag and keeps its text. `dropped` receives these addresses. The
 * work is linear in the length.
 */
export function safeMarkup(
  html: string,
  allowance: MarkupAllowance = NO_ALLOWANCE,
  dropped: DroppedAddress[] = [],
): string {
  return rewrittenMarkup(html, (tag) => safeTag(tag, allowance, dropped));
}

/** The markup of an element: its start, and its end after the content. */
export interface WrittenTag {
  readonly start: string;
  readonly end: string;
  /** True when the content is left out. Absent otherwise. */
  readonly isEmpty?: true;
}

/**
 * HTML with each element replaced by the markup that `tagOf` returns for it; null leaves only its content. The content of
 * scripts and similar elements is omitted. The output is well-formed and nested at most `DEEPEST_MARKUP` deep.
 */
export function rewrittenMarkup(html: string, tagOf: (tag: HtmlTag) => WrittenTag | null): string {
  const writer = new MarkupWriter(tagOf);
  walkHtml(html, writer);
  return writer.markup;
}

/** The text of HTML without markup. Entities are decoded; scripts and similar content are omitted. */
export function bareText(html: string): string {
  let text = '';
  let dropped = 0;
  walkHtml(html, {
    open: ({ name }) => {
      if (DROPPED_WITH_CONTENT.has(name)) dropped += 1;
    },
    close: (name) => {
      if (DROPPED_WITH_CONTENT.has(name)) dropped -= 1;
    },
    text: (part) => {
      if (dropped === 0) text += part;
    },
  });
  return text;
}

const NO_TAG: WrittenTag = { start: '', end: '' };

class MarkupWriter implements HtmlEvents {
  markup = '';
  /** The tag of each open element. */
  private readonly ends: WrittenTag[] = [];
  private dropped = 0;

  constructor(private readonly tagOf: (tag: HtmlTag) => WrittenTag | null) {}

  open(opened: HtmlTag): void {
    if (DROPPED_WITH_CONTENT.has(opened.name)) this.dropped += 1;
    const tag = this.dropped > 0 || this.ends.length >= DEEPEST_MARKUP ? null : this.tagOf(opened);
    this.ends.push(tag ?? NO_TAG);
    this.markup += tag?.start ?? '';
    if (tag?.isEmpty === true) this.dropped += 1;
  }

  close(name: string): void {
    if (DROPPED_WITH_CONTENT.has(name)) this.dropped -= 1;
    const { end, isEmpty } = this.ends.pop() ?? NO_TAG;
    if (isEmpty === true) this.dropped -= 1;
    this.markup += end;
  }

  text(text: string): void {
    if (this.dropped === 0) this.markup += escapeText(text);
  }
}

/**
 * The tag with its allowed parts; null when the element is not allowed. `allowance` is what the merchant's own
 * description has already.
 */
export function safeTag(
  { name, attributes: given }: Pick<HtmlTag, 'name' | 'attributes'>,
  allowance: MarkupAllowance = NO_ALLOWANCE,
  dropped: DroppedAddress[] = [],
): WrittenTag | null {
  const allowed = Object.hasOwn(ALLOWED_ELEMENTS, name)
    ? ALLOWED_ELEMENTS[name]
    : embedAttributes(name, allowance);
  if (allowed === undefined) {
    if (isEmbed(name)) noteDropped(dropped, 'embed', given.get('src'), 'the merchant embeds nothing');
    return null;
  }
  const attributes = new Map([...given].filter(([attribute]) => allowed.includes(attribute)));
  for (const [attribute, value] of ownLook(name, given, allowance)) attributes.set(attribute, value);
  const keeps = (attribute: string, use: AddressUse): boolean =>
    keepAddress(attributes, attribute, { use, allowance, dropped });
  if (isEmbed(name)) {
    // A video may name its address in elements within it.
    const needsAddress = name !== 'video' || attributes.has('src');
    if (needsAddress && !keeps('src', 'embed')) return null;
    if (attributes.has('poster') && !keeps('poster', 'picture')) attributes.delete('poster');
  }
  if (name === 'img' && !keeps('src', 'picture')) return null;
  if (name === 'a') {
    if (!keeps('href', 'link')) return null;
    attributes.delete('rel');
    if (attributes.get('href')?.startsWith('https:') === true) attributes.set('rel', LINK_RELATION);
  }
  const written = [...attributes].map(([attribute, value]) => ` ${attribute}="${escapeAttribute(value)}"`);
  const tag = { start: `<${name}${written.join('')}>`, end: VOID_ELEMENTS.has(name) ? '' : `</${name}>` };
  // Browsers take the content of a frame for text, so that it could hide an end tag.
  return name === 'iframe' ? { ...tag, isEmpty: true } : tag;
}

/** Replaces the address by its safe form; false when the address is not allowed. */
function keepAddress(
  attributes: Map<string, string>,
  name: string,
  { use, allowance, dropped }: Judging,
): boolean {
  const given = attributes.get(name) ?? '';
  const { pictureHosts: pictures, embedHosts: embeds } = allowance;
  const judged = judgedAddress(given, use, { pictures, embeds });
  if ('refused' in judged) {
    noteDropped(dropped, use, given, judged.refused);
    return false;
  }
  attributes.set(name, judged.address);
  return true;
}

interface Judging {
  readonly use: AddressUse;
  readonly allowance: MarkupAllowance;
  readonly dropped: DroppedAddress[];
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

function withoutAttributes(names: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(names.map((name) => [name, []]));
}
