type Normaliser = (text: string) => string | null;

const UNITS = 'IN INCHES FT FEET YD YARDS MM MILLIMETERS CM CENTIMETERS M METERS'.split(' ');
const MAX_BYTES = 65_536;
const MAX_LIST_ENTRIES = 128;

/** The types that store-sync makes up by itself, and those that its tests define. */
const SINGLE: Readonly<Record<string, Normaliser>> = {
  single_line_text_field: (text) => (/[\r\n]/.test(text) ? null : text),
  multi_line_text_field: (text) => text,
  boolean: (text) => (text === 'true' || text === 'false' ? text : null),
  number_integer: normalInteger,
  number_decimal: normalDecimal,
  json: normalJson,
  rich_text_field: normalJson,
  dimension: normalDimension,
};
const NOT_LISTED = ['multi_line_text_field', 'boolean', 'json', 'rich_text_field'];

/** True for a type that an app writes, lists included; references are the merchant's alone. */
export function isMetafieldType(type: string): boolean {
  const single = type.replace(/^list\./, '');
  return Object.hasOwn(SINGLE, single) && (single === type || !NOT_LISTED.includes(single));
}

/** The value as it will be read back; null for one that is refused, as blank text always is. */
export function normaliseMetafieldValue(type: string, text: string): string | null {
  if (text.trim() === '' || Buffer.byteLength(text) > MAX_BYTES) return null;
  return type.startsWith('list.')
    ? normalList(type.slice('list.'.length), text)
    : (SINGLE[type]?.(text) ?? null);
}

function normalList(elementType: string, text: string): string | null {
  const elements = parsed(text);
  if (!Array.isArray(elements) || elements.length > MAX_LIST_ENTRIES) return null;
  const normal = (elements as unknown[]).map((element) =>
    SINGLE[elementType]?.(typeof element === 'string' ? element : JSON.stringify(element)),
  );
  if (normal.some((element) => element == null)) return null;
  return JSON.stringify(
    normal.map((element, at) => (typeof elements[at] === 'string' ? element : parsed(element ?? ''))),
  );
}

function normalInteger(text: string): string | null {
  const [, digits] = /^(-?\d+)(?:\.0+)?$/.exec(text.trim()) ?? [];
  return digits !== undefined && Number.isSafeInteger(Number(digits)) ? String(Number(digits)) : null;
}

/** Cut, not rounded, to nine places. */
function normalDecimal(text: string): string | null {
  const [, digits, places = '0'] = /^(-?\d+)(?:\.(\d+))?$/.exec(text.trim()) ?? [];
  return digits === undefined ? null : `${digits}.${places.slice(0, 9)}`;
}

/** Compact JSON was recorded to come back unchanged; the effect on white space was not. */
function normalJson(text: string): string | null {
  return parsed(text) === undefined ? null : text;
}

function normalDimension(text: string): string | null {
  const { value, unit } = { ...(parsed(text) as { value?: unknown; unit?: unknown } | undefined) };
  const written = String(unit).toUpperCase();
  const amount = Number(value);
  if (!UNITS.includes(written) || Number.isNaN(amount)) return null;
  // Whole numbers gain a decimal place, which no JSON number of JavaScript's keeps.
  const number = Number.isInteger(amount) ? `${amount}.0` : String(amount);
  return `{"value":${number},"unit":${JSON.stringify(written)}}`;
}

/** Undefined for text that is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
