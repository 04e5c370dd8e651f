/** Whole numbers that a JavaScript number cannot hold have at least sixteen digits. */
const MAY_HOLD_LARGE = /\d{16}/;

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** Whole numbers beyond 2^53 as the text of their digits: as numbers they would come out changed. */
const keepDigits: Reviver = (_key, value, context) => {
  const source = context?.source;
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value;
  return isWhole(source) ? source : value;
};

function isWhole(source: string): boolean {
  return /^-?\d+$/.test(source);
}

/** As `JSON.parse`, but whole numbers beyond 2^53 become the text of their digits. Throws `SyntaxError`. */
export function parseExactJson(text: string): unknown {
  if (!MAY_HOLD_LARGE.test(text)) return JSON.parse(text) as unknown;
  const parse: (json: string, reviver: Reviver) => unknown = JSON.parse;
  return parse(text, keepDigits);
}
