/** The text without the given signs at its end, however many. `signs`: each character is one. */
export function withoutTrailing(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The text without the given signs at either end. `signs`: each character is one. */
export function withoutOuter(text: string, signs: string): string {
  let [from, to] = [0, text.length];
  while (from < to && signs.includes(text.charAt(from))) from += 1;
  while (to > from && signs.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** The text on one line: line breaks become one space, with the white space around them. */
export function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, (space) => (/[\r\n]/.test(space) ? ' ' : space));
}

/** The text cut to `most` characters, never inside a surrogate pair. A `…` shows the cut. */
export function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A number with its noun: `1 product`, `2 deliveries`. `many`: the plural, unless it is `one` with an `s`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}

/** The text as markup that shows it, outside of tags. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The text without these secrets, which another side may repeat in what it says. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
}

/** The value of a JSON text; null for any other text. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Text that a database can hold: without NUL and without halves of surrogate pairs. Nothing else changes. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}

/** Only an escape brings into JSON what no database holds: NUL, or half of a pair. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/** `storableJson` of a value that was parsed from this JSON text. */
export function storableParsed(text: string, value: unknown): unknown {
  return UNSTORABLE_ESCAPE.test(text) ? storableJson(value) : value;
}

/** A JSON value of which every text can be held by a database, names of members included. */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storableJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storableText(name), storableJson(member)]),
  );
}
