import { escapeText, escapeAttribute } from './escape.js';
import { attributesOf, walkHtml, type HtmlEvents } from './walk.js';
import { VOID_ELEMENTS } from './elements.js';
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
 * HTML reduced to allowed elements and attributes, nested at most `DEEPEST_MARKUP` deep. Images need an absolute
 * `https` address, or they are removed. Links may lead to other sites by `https`, to mail or to phone; other links
 * lose their tag and keep their text. Addresses without a scheme or with `http` become `https`. The work is linear in
 * the length.
 */
export function safeMarkup(html: string, allowance: MarkupAllowance = NO_ALLOWANCE): string {
  return rewrittenMarkup(html, (name, source) => safeTag(name, source, allowance));
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
export function rewrittenMarkup(
  html: string,
  tagOf: (name: string, attributes: string) => WrittenTag | null,
): string {
  const writer = new MarkupWriter(tagOf);
  walkHtml(html, writer);
  return writer.markup;
}

/** The text of HTML without markup. Entities are decoded; scripts and similar content are omitted. */
export function bareText(html: string): string {
  let text = '';
  let dropped = 0;
  walkHtml(html, {
    open: (name) => {
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

  constructor(private readonly tagOf: (name: string, attributes: string) => WrittenTag | null) {}

  open(name: string, source: string): void {
    if (DROPPED_WITH_CONTENT.has(name)) this.dropped += 1;
    const tag = this.dropped > 0 || this.ends.length >= DEEPEST_MARKUP ? null : this.tagOf(name, source);
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
  name: string,
  source: string,
  allowance: MarkupAllowance = NO_ALLOWANCE,
): WrittenTag | null {
  const allowed = Object.hasOwn(ALLOWED_ELEMENTS, name)
    ? ALLOWED_ELEMENTS[name]
    : embedAttributes(name, allowance);
  if (allowed === undefined) return null;
  const given = attributesOf(source);
  const attributes = new Map([...given].filter(([attribute]) => allowed.includes(attribute)));
  for (const [attribute, value] of ownLook(name, given, allowance)) attributes.set(attribute, value);
  if (isEmbed(name)) {
    const isAllowed = (address: URL): boolean => isOwnEmbed(address, allowance);
    // A video may name its address in elements within it.
    const needsAddress = name !== 'video' || attributes.has('src');
    if (needsAddress && !keepAddress(attributes, 'src', isAllowed)) return null;
    if (attributes.has('poster') && !keepAddress(attributes, 'poster', isPictureAddress))
      attributes.delete('poster');
  }
  if (name === 'img' && !keepAddress(attributes, 'src', isPictureAddress)) return null;
  if (name === 'a') {
    if (!keepAddress(attributes, 'href', isLinkAddress)) return null;
    attributes.delete('rel');
    if (attributes.get('href')?.startsWith('https:') === true) attributes.set('rel', LINK_RELATION);
  }
  const written = [...attributes].map(([attribute, value]) => ` ${attribute}="${escapeAttribute(value)}"`);
  const tag = { start: `<${name}${written.join('')}>`, end: VOID_ELEMENTS.has(name) ? '' : `</${name}>` };
  // Browsers take the content of a frame for text, so that it could hide an end tag.
  return name === 'iframe' ? { ...tag, isEmpty: true } : tag;
}

function isOwnEmbed(address: URL, { embedHosts }: MarkupAllowance): boolean {
  return embedHosts.has(address.host) && isLinkAddress(address) && address.protocol === 'https:';
}

/** Replaces the address by its safe form; false when the address is not allowed. */
function keepAddress(
  attributes: Map<string, string>,
  name: string,
  isAllowed: (address: URL) => boolean,
): boolean {
  const given = attributes.get(name) ?? '';
  const address = absoluteAddress(given);
  const parsed = address === null || address.length > LONGEST_ADDRESS ? null : URL.parse(address);
  if (address === null || parsed === null || !isAllowed(parsed)) return false;
  attributes.set(name, address);
  return true;
}

const LONGEST_ADDRESS = 4096;
/** Browsers ignore these characters in addresses, so they could hide a scheme. */
const HIDDEN_SIGNS = /[\u0000-\u0020\u007f-\u00a0\u00ad\u200b-\u200f\u2028\u2029\ufeff]/;

/** The address with `https` instead of `http` or of no scheme; null for a relative or malformed address. */
function absoluteAddress(given: string): string | null {
  const address = given.trim();
  if (address === '' || HIDDEN_SIGNS.test(address) || address.includes('\\')) return null;
  if (address.startsWith('//')) return `https:${address}`;
  const scheme = /^([a-z]{2,10}):/i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined) return null;
  const rest = address.slice(scheme.length);
  return scheme === 'http' ? `https${rest}` : scheme + rest;
}

function isPictureAddress(address: URL): boolean {
  return address.protocol === 'https:' && address.username === '' && address.hostname.includes('.');
}

/** Paths that trigger an action of the shop for the visitor who follows the link. */
const ACTION_PATH =
  /^\/(?:[a-z]{2}(?:-[a-z]{2})?\/)?(?:account|admin|apps|cart|checkout|checkouts|challenge|orders|password|tools)(?:\/|$)/i;

function isLinkAddress(address: URL): boolean {
  if (address.protocol === 'mailto:' || address.protocol === 'tel:') return true;
  if (address.protocol !== 'https:' || address.username !== '') return false;
  const isShop = address.hostname === 'myshopify.com' || address.hostname.endsWith('.myshopify.com');
  return !isShop && !ACTION_PATH.test(decodedPath(address));
}

function decodedPath({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    // The path is not in an encoding that a shop would decode, so it is used unchanged.
    return pathname;
  }
}

function withoutAttributes(names: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(names.map((name) => [name, []]));
}
