/** Markup that is safe to send: everything that came from outside was escaped when it was put in. */
export class Html {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** What a template takes. Text and numbers are escaped; nothing, `false` and absent values leave no trace. */
export type Piece = Html | string | number | false | null | undefined | readonly Piece[];

/**
 * Template tag: literal parts are markup, values are text. It holds in element content and in quoted attribute values, the only
 * places where views put values; addresses go through `encodeURIComponent` or come from this program.
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

/** NUL and the like are no characters of HTML: they would be replaced by the reader, each in its own way. */
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
