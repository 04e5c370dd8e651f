import sanitizeHtml from 'sanitize-html';
import { htmlToText } from './html/plain-text.js';
import { ALLOWED_ELEMENTS, bareText, DEEPEST_MARKUP, safeMarkup } from './html/safe-markup.js';

export { reducedHtml } from './html/reduced.js';
export { storableText } from '../domain/text.js';

/** The library has the last word on what `safeMarkup` left; by then nothing is deep, and no attribute needs a parser of its own. */
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
 * Generated HTML as it may reach a shop (docs/security.md): text, lists, tables, links to other sites and
 * pictures by `https`. No script, style, frame or form. Linear in the length; sanitising a second time changes nothing.
 */
export function sanitiseHtml(html: string): string {
  return sanitizeHtml(safeMarkup(html), ALLOWED).trim();
}

/** True when HTML shows a reader nothing: no text, no image. */
export function isBlankHtml(html: string): boolean {
  return !/<img\b/i.test(html) && plainTextOf(html) === '';
}

/**
 * Plain text of text that may hold markup: tags and control characters go, white space is folded. For titles and the like.
 * Text without markup is taken at its word, escapes included.
 */
export function sanitisePlainText(text: string): string {
  // What an escape hid must not become a tag.
  const bare = text.includes('<') ? bareText(text).replaceAll(/<(?=[a-z!/?])/gi, '&lt;') : text;
  return foldWhitespace(bare);
}

function foldWhitespace(text: string): string {
  return text
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/** The plain text of a product description: what the catalog's `description` holds beside `html_description`. */
export function plainTextOf(html: string): string {
  return /[<&]/.test(html) ? htmlToText(html).trim() : html.trim();
}
