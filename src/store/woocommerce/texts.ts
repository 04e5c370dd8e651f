import { Parser } from 'htmlparser2';

const REFERENCE = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});/gi;

/** A name as people read it. The shop keeps `A & B` encoded or not, by who typed it, so names are compared decoded. */
export function decodedName(name: string): string {
  return name.replaceAll(REFERENCE, (reference) => {
    let text = '';
    const parser = new Parser({ ontext: (part) => (text += part) }, { decodeEntities: true });
    parser.end(reference);
    return text;
  });
}

/** Each write through the API halves the backslashes of a text, so each is sent twice. */
export function withBackslashes(text: string): string {
  return text.replaceAll('\\', '\\\\');
}

/** The elements whose tags the shop strips from what an API key writes, while their text stays. */
const STRIPPED = /<(script|iframe|style|form|input|object|embed|svg|picture|source)\b/i;
const SHORTCODE_START = /\[[a-z][a-z0-9_-]*[\s/\]]/i;

/**
 * The first `[products]` or `[gallery ids="1"]` of a text; null for none. A word in brackets alone may be a shortcode of any plugin. Linear
 * in the length.
 */
function shortcodeIn(text: string): string | null {
  const start = text.search(SHORTCODE_START);
  const end = start === -1 ? -1 : text.indexOf(']', start);
  return end === -1 ? null : text.slice(start, end + 1);
}

/** The text with its brackets as references, if the shop would run one of them as a shortcode. Visitors see the same. */
export function withoutShortcodes(text: string): string {
  return shortcodeIn(text) === null ? text : text.replaceAll('[', '&#91;');
}

/** Why a text may not be replaced or written again through the API, as the rest of a sentence; null when it may. */
export function protectedPart(text: string): string | null {
  const element = STRIPPED.exec(text)?.[1];
  if (element !== undefined)
    return `it holds <${element.toLowerCase()}>, which the shop’s API would take out`;
  const shortcode = shortcodeIn(text);
  return shortcode === null ? null : `it holds the shortcode ${shortcode.slice(0, 60)}`;
}
