/** The store's normal form of a metafield's value, or the reason why the value is invalid. */
export type NormalValue = { readonly value: string } | { readonly problem: string };

type Normaliser = (text: string) => NormalValue;

const UNITS = 'IN INCHES FT FEET YD YARDS MM MILLIMETERS CM CENTIMETERS M METERS'.split(' ');
const MAX_TEXT_BYTES = 65_536;
const MAX_JSON_BYTES = 131_072;
const MAX_LIST_ENTRIES = 128;

/** The types that store-sync makes up by itself, and those that its tests define. */
const SINGLE: Readonly<Record<string, Normaliser>> = {
  single_line_text_field: (text) =>
    /[\r\n]/.test(text) ? problem('Value must be a single line text string.') : { value: text },
  multi_line_text_field: (value) => ({ value }),
  boolean: normalBoolean,
  number_integer: normalInteger,
  number_decimal: normalDecimal,
  json: normalJson,
  rich_text_field: normalJson,
  dimension: normalDimension,
};
const NOT_LISTED = ['multi_line_text_field', 'boolean', 'json', 'rich_text_field'];

/** True for a type that an app writes, lists included; references are the merchant's alone. */
export function isMetafieldType(type: string): boolean {
  const single = type.startsWith('list.') ? type.slice('list.'.length) : type;
  return Object.hasOwn(SINGLE, single) && (single === type || !NOT_LISTED.includes(single));
}

/** The value as it will be read back, or why it is refused; blank text is always refused. The type must be known. */
export function normaliseMetafieldValue(type: string, text: string): NormalValue {
  if (text.trim() === '') return problem("Value can't be blank.");
  const limit = type === 'json' || type === 'rich_text_field' ? MAX_JSON_BYTES : MAX_TEXT_BYTES;
  if (Buffer.byteLength(text) > limit) return problem(`Value is too long (maximum is ${limit} bytes).`);
  return type.startsWith('list.') ? normalList(type.slice('list.'.length), text) : normalSingle(type, text);
}

function normalSingle(type: string, text: string): NormalValue {
  return SINGLE[type]?.(text) ?? problem(`Type ${type} is not known.`);
}

function normalList(elementType: string, text: string): NormalValue {
  const elements = parsed(text);
  if (!Array.isArray(elements)) return problem('Value must be an array.');
  if (elements.length > MAX_LIST_ENTRIES)
    return problem(`Value has too many entries (maximum is ${MAX_LIST_ENTRIES}).`);
  const normal: unknown[] = [];
  for (const element of elements as unknown[]) {
    const isText = typeof element === 'string';
    const result = normalSingle(elementType, isText ? element : JSON.stringify(element));
    if ('problem' in result) return result;
    normal.push(isText ? result.value : parsed(result.value));
  }
  return { value: JSON.stringify(normal) };
}

function normalBoolean(text: string): NormalValue {
  const word = text.trim().toLowerCase();
  if (['true', 't', '1'].includes(word)) return { value: 'true' };
  if (['false', 'f', '0'].includes(word)) return { value: 'false' };
  return problem('Value must be true or false.');
}

function normalInteger(text: string): NormalValue {
  const [, digits] = /^(-?\d+)(?:\.0+)?$/.exec(text.trim()) ?? [];
  if (digits === undefined) return problem('Value must be an integer.');
  return Number.isSafeInteger(Number(digits))
    ? { value: String(Number(digits)) }
    : problem('Value must be within the range of safe integers.');
}

/** Cut, not rounded, to nine places. */
function normalDecimal(text: string): NormalValue {
  const [, digits, places = '0'] = /^(-?\d+)(?:\.(\d+))?$/.exec(text.trim()) ?? [];
  if (digits === undefined) return problem('Value must be a decimal.');
  return { value: `${digits}.${places.slice(0, 9)}` };
}

/** Compact JSON was recorded to come back unchanged; the effect on white space was not. */
function normalJson(text: string): NormalValue {
  return parsed(text) === undefined ? problem('Value is invalid JSON.') : { value: text };
}

function normalDimension(text: string): NormalValue {
  const { value, unit } = membersOf(text);
  const written = String(unit).toUpperCase();
  if (!UNITS.includes(written)) return problem(`Value must have a supported unit: ${UNITS.join(', ')}.`);
  const amount = Number(value);
  if (Number.isNaN(amount)) return problem('Value must have a numeric value.');
  // Whole numbers gain a decimal place, which no JSON number of JavaScript's keeps.
  const number = Number.isInteger(amount) ? `${amount}.0` : String(amount);
  return { value: `{"value":${number},"unit":${JSON.stringify(written)}}` };
}

function problem(text: string): NormalValue {
  return { problem: text };
}

/** The members of a JSON object; of any other text none. */
function membersOf(text: string): Readonly<Record<string, unknown>> {
  const value = parsed(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Undefined for text that is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
