import sanitizeHtml from 'sanitize-html';
import { isUnseen } from '../domain/identifier-text.js';
import type { DroppedAddress } from './html/address.js';
import { htmlToText } from './html/plain-text.js';
import { EMBEDS, hasAllowance, NO_ALLOWANCE, type MarkupAllowance } from './html/markup-allowance.js';
import { VOID_ELEMENTS } from './html/walk.js';
import { ALLOWED_ELEMENTS, bareText, DEEPEST_MARKUP, safeMarkup } from './html/safe-markup.js';

export { allowanceOf, hasAllowance, NO_PICTURES } from './html/markup-allowance.js';
export type { DroppedAddress } from './html/address.js';
export { reducedHtml } from './html/reduced.js';
export { storableText } from '../domain/text.js';

/**
 * The library checks the output of `safeMarkup` again. At that point nothing is deep, and no attribute needs its
 * own parser.
 */
const ALLOWED: sanitizeHtml.IOptions = {
  allowedTags: Object.keys(ALLOWED_ELEMENTS),
  allowedAttributes: Object.fromEntries(
    Object.entries(ALLOWED_ELEMENTS).map(([name, attributes]) => [name, [...attributes]]),
  ),
  allowedSchemes: ['https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['https'] },
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: DEEPEST_MARKUP,
};

/**
 * Generated HTML in the form that may reach a shop (docs/security.md): text, lists, tables, links to other sites and
 * images by `https`. Scripts, styles, frames and forms are removed. `dropped` receives the addresses that are left out. The work is
 * linear in the length, and sanitising twice changes nothing.
 */
export function sanitiseHtml(
  html: string,
  allowance: MarkupAllowance = NO_ALLOWANCE,
  dropped: DroppedAddress[] = [],
): string {
  const options = hasAllowance(allowance) ? withAllowance(allowance) : ALLOWED;
  return sanitizeHtml(safeMarkup(html, allowance, dropped), options).trim();
}

/** The library's rules for what the merchant's description has already. `safeMarkup` has checked the values. */
function withAllowance({ embedHosts }: MarkupAllowance): sanitizeHtml.IOptions {
  const names = [...Object.keys(ALLOWED_ELEMENTS), ...Object.keys(EMBEDS)];
  const attributes = names.map((name): [string, string[]] => [
    name,
    [...(ALLOWED_ELEMENTS[name] ?? []), ...(EMBEDS[name] ?? []), 'class', 'style'],
  ]);
  return {
    ...ALLOWED,
    allowedTags: names,
    allowedAttributes: Object.fromEntries(attributes),
    allowedSchemesByTag: { img: ['https'], iframe: ['https'], video: ['https'], source: ['https'] },
    allowedIframeHostnames: [...embedHosts].map((host) => host.replace(/:\d+$/, '')),
    parseStyleAttributes: false,
    selfClosing: [...VOID_ELEMENTS],
  };
}

/** True when the HTML may load a picture. */
export function hasPicture(html: string): boolean {
  return /<(?:img|video|source)\b/i.test(html);
}

/** True when the HTML shows no text that anybody sees, and no image. */
export function isBlankHtml(html: string): boolean {
  return !/<img\b/i.test(html) && isUnseen(plainTextOf(html));
}

/**
 * Plain text from text that may have markup, for titles and similar fields. Tags and control characters are removed,
 * and white space is folded. Escapes in text without markup are kept. Empty where nobody would see anything.
 */
export function sanitisePlainText(given: string): string {
  // An escaped bracket must not become a tag.
  const bare = given.includes('<') ? bareText(given).replaceAll(/<(?=[a-z!/?])/gi, '&lt;') : given;
  const text = foldWhitespace(bare);
  return isUnseen(text) ? '' : text;
}

/** A text without a space in its last characters is cut inside a word. */
const LONGEST_WORD = 40;

/** Truncates between words, or between characters where a word is very long, so that none is split. */
export function clippedText(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
  const space = text[length] === ' ' ? -1 : cut.lastIndexOf(' ');
  const whole = space > length - LONGEST_WORD ? cut.slice(0, space) : cut;
  return whole.replace(/[ ,;:–—-]{1,3}$/, '');
}

function foldWhitespace(text: string): string {
  return text
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/** The plain text of a product description, for the catalog's `description` beside `html_description`. */
export function plainTextOf(html: string): string {
  return /[<&]/.test(html) ? htmlToText(html).trim() : html.trim();
}
