/** Markup that is safe to send: all values from outside were escaped when they were inserted. */
export class Html {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** The values of a template. Text and numbers are escaped. Null, undefined and `false` produce nothing. */
export type Piece = Html | string | number | false | null | undefined | readonly Piece[];

/**
 * Template tag: literal parts are markup, and values are text. It is safe in element content and in quoted attribute
 * values, which are the only places where views insert values. Addresses are encoded with `encodeURIComponent` or are
 * constants.
 */
export function html(literals: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const text = literals.reduce((before, literal, index) => before + rendered(pieces[index - 1]) + literal);
  return new Html(text);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML does not allow NUL and similar characters, and each browser replaces them differently. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd')
    .replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}

function rendered(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'string') return escapeHtml(piece);
  if (typeof piece === 'number') return String(piece);
  return piece.map(rendered).join('');
}
