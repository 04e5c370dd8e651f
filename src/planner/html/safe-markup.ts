import { escapeText, escapeAttribute } from './escape.js';
import { attributesOf, walkHtml, type HtmlEvents } from './walk.js';
import { VOID_ELEMENTS } from './elements.js';

/** Elements that generated HTML may have, with the attributes that each may have. */
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

/** Deeper elements lose their tags and keep their text. */
export const DEEPEST_MARKUP = 50;

/** Elements whose content is not meant for a reader of the page. */
const DROPPED_WITH_CONTENT: ReadonlySet<string> = new Set(['script', 'style', 'textarea', 'option', 'xmp']);

/** Search engines do not follow what was generated, and the page that opens gets no hold of the shop's. */
const LINK_RELATION = 'nofollow noopener';

/**
 * HTML reduced to allowed elements and attributes, nested `DEEPEST_MARKUP` deep at most. Pictures come from absolute `https`
 * addresses alone, and a picture without one goes. Links lead to other sites, by `https`, mail or phone; others lose
 * their tag and keep their text. Addresses without scheme and of `http` become `https`. The work is linear in the length.
 */
export function safeMarkup(html: string): string {
  const writer = new SafeMarkupWriter();
  walkHtml(html, writer);
  return writer.markup;
}

/** The text of HTML without any markup; entities are decoded, scripts and the like left out. */
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

class SafeMarkupWriter implements HtmlEvents {
  markup = '';
  /** For each open element whether its tag was written. */
  private readonly written: boolean[] = [];
  private dropped = 0;

  open(name: string, source: string): void {
    if (DROPPED_WITH_CONTENT.has(name)) this.dropped += 1;
    const tag = this.dropped > 0 || this.written.length >= DEEPEST_MARKUP ? null : safeTag(name, source);
    this.written.push(tag !== null);
    this.markup += tag ?? '';
  }

  close(name: string): void {
    if (DROPPED_WITH_CONTENT.has(name)) this.dropped -= 1;
    if (this.written.pop() === true && !VOID_ELEMENTS.has(name)) this.markup += `</${name}>`;
  }

  text(text: string): void {
    if (this.dropped === 0) this.markup += escapeText(text);
  }
}

/** The start tag as it may stay; null where it may not. */
function safeTag(name: string, source: string): string | null {
  const allowed = Object.hasOwn(ALLOWED_ELEMENTS, name) ? ALLOWED_ELEMENTS[name] : undefined;
  if (allowed === undefined) return null;
  const attributes = new Map([...attributesOf(source)].filter(([attribute]) => allowed.includes(attribute)));
  if (name === 'img' && !keepAddress(attributes, 'src', isPictureAddress)) return null;
  if (name === 'a') {
    if (!keepAddress(attributes, 'href', isLinkAddress)) return null;
    attributes.delete('rel');
    if (attributes.get('href')?.startsWith('https:') === true) attributes.set('rel', LINK_RELATION);
  }
  const written = [...attributes].map(([attribute, value]) => ` ${attribute}="${escapeAttribute(value)}"`);
  return `<${name}${written.join('')}>`;
}

/** Replaces the address by the one that is meant; false where that one is not allowed. */
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
/** Browsers ignore these within an address, so that a scheme can hide between them. */
const HIDDEN_SIGNS = /[\u0000-\u0020\u007f-\u00a0\u00ad\u200b-\u200f\u2028\u2029\ufeff]/;

/** The address with `https` in place of `http` or of no scheme; null for one that is relative or written oddly. */
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

/** Paths by which a shop does something for its visitor when a link is followed. */
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
    // Not in an encoding that a shop would understand: it is taken as it stands.
    return pathname;
  }
}

function withoutAttributes(names: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(names.map((name) => [name, []]));
}
