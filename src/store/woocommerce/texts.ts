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
/** `[products]`, `[gallery ids="1"]`. A word in brackets alone may be a shortcode of any plugin. */
const SHORTCODE = /\[[a-z][a-z0-9_-]*(?:[\s/][^\]]*)?\]/i;

/** Why a text may not be replaced or written again through the API, as the rest of a sentence; null when it may. */
export function protectedPart(text: string): string | null {
  const element = STRIPPED.exec(text)?.[1];
  if (element !== undefined)
    return `it holds <${element.toLowerCase()}>, which the shop’s API would take out`;
  const shortcode = SHORTCODE.exec(text)?.[0];
  return shortcode === undefined ? null : `it holds the shortcode ${shortcode.slice(0, 60)}`;
}
