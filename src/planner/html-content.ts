import sanitizeHtml from 'sanitize-html';
import { compile } from 'html-to-text';

/** The allow-list for generated HTML (docs/decisions/0021-generated-content-is-untrusted.md): text, lists, tables, links and images by https; no script, style or frame. */
const ALLOWED: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['p', 'br', 'hr', 'div', 'span', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'code'],
    ...[
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
      'small',
      'sub',
      'sup',
      'mark',
      'abbr',
    ],
    ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td', 'a', 'img', 'figure', 'figcaption'],
  ],
  allowedAttributes: {
    a: ['href', 'title'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    abbr: ['title'],
    th: ['colspan', 'rowspan', 'scope'],
    td: ['colspan', 'rowspan'],
  },
  allowedSchemes: ['https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['https'] },
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: 50,
};

export function sanitiseHtml(html: string): string {
  return sanitizeHtml(html, ALLOWED).trim();
}

/** True when HTML shows a reader nothing: no text, no image. */
export function isBlankHtml(html: string): boolean {
  return !/<img\b/i.test(html) && plainTextOf(html) === '';
}

/** Text that a database can hold: without NUL and without halves of surrogate pairs. Nothing else changes. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}

/**
 * Plain text of text that may hold markup: tags and control characters go, white space is folded. For titles and the like.
 * Text without markup is taken at its word, escapes included.
 */
export function sanitisePlainText(text: string): string {
  const bare = text.includes('<') ? sanitizeHtml(text, { allowedTags: [], allowedAttributes: {} }) : text;
  // sanitize-html escapes what it leaves; a title is no markup, so the escapes are undone, but for those that hide a tag.
  const decoded =
    bare === text
      ? text
      : bare
          .replaceAll(/&lt;(?![a-z!/?])/gi, '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&amp;', '&');
  return foldWhitespace(decoded);
}

function foldWhitespace(text: string): string {
  return text
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/** The plain text of a product description: what the catalog's `description` holds beside `html_description`. */
export function plainTextOf(html: string): string {
  return /[<&]/.test(html) ? textOfHtml(html).trim() : html.trim();
}

/** Compiled once: the selectors are a language of their own. */
const textOfHtml = compile({
  wordwrap: false,
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
      selector,
      options: { uppercase: false },
    })),
    { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
  ],
});

/**
 * HTML reduced to what a store's normalisation leaves alone: text and element names, without attribute quoting, entity
 * spelling, void-tag style or white space between elements. Two texts of equal reduction say the same.
 */
export function reducedHtml(html: string): string {
  return sanitizeHtml(html, { allowedTags: false, allowedAttributes: false, allowVulnerableTags: true })
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/> </g, '><')
    .replaceAll(/ ?\/>/g, '>')
    .trim();
}
