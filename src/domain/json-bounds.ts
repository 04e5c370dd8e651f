/** Limits of a JSON value from outside. */
export interface JsonBounds {
  /** Levels of nested arrays and objects. */
  readonly depth: number;
  /** Number of values, with all members and items. */
  readonly nodes: number;
}

/** Limits of a response or a delivery: ten times the size of the largest real product. */
export const ANSWER_BOUNDS: JsonBounds = { depth: 100, nodes: 1_000_000 };

/** Limits of one value within a product, such as a metafield. */
export const VALUE_BOUNDS: JsonBounds = { depth: 50, nodes: 20_000 };

/** Whether the value keeps within the bounds. Stops at the first value beyond them, so that a hostile value stays cheap. */
export function isWithin(value: unknown, bounds: JsonBounds): boolean {
  let nodes = 0;
  const fits = (member: unknown, depth: number): boolean => {
    nodes += 1;
    if (nodes > bounds.nodes) return false;
    if (typeof member !== 'object' || member === null) return true;
    if (depth >= bounds.depth) return false;
    if (Array.isArray(member)) return member.every((item) => fits(item, depth + 1));
    return Object.values(member).every((item) => fits(item, depth + 1));
  };
  return fits(value, 0);
}

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);
const OPENING = new Set(['[', '{'].map((sign) => sign.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((sign) => sign.charCodeAt(0)));

/**
 * Whether the value of a JSON text keeps within the bounds. It counts commas and brackets outside of strings, before anything is parsed:
 * 50 MB of empty lists would become a gigabyte of values. Of a text that is no JSON the answer means nothing.
 */
export function isTextWithin(text: string, bounds: JsonBounds): boolean {
  let nodes = 1;
  let depth = 0;
  let isOpened = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    if (CLOSING.has(code)) {
      depth -= 1;
      isOpened = false;
      continue;
    }
    // The first value of a list or an object follows no comma.
    if (isOpened || code === COMMA) nodes += 1;
    isOpened = OPENING.has(code);
    if (isOpened) depth += 1;
    else if (code === QUOTE) at = endOfString(text, at);
    if (nodes > bounds.nodes || depth > bounds.depth) return false;
  }
  return true;
}

/** The place of the quote that closes the string that begins at `start`. Searching by `indexOf` is quick, also in long strings. */
export function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
  }
  return text.length;
}
