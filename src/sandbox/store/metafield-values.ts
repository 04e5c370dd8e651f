/** The store's normal form of a metafield's value, or the reason why the value is invalid. */
export type NormalValue = { readonly value: string } | { readonly problem: string };

type Normaliser = (text: string) => NormalValue;

const MEASURE_UNITS: Readonly<Record<string, string>> = {
  dimension: 'IN INCHES FT FEET YD YARDS MM MILLIMETERS CM CENTIMETERS M METERS',
  volume:
    'ML MILLILITERS CL CENTILITERS L LITERS M3 CUBIC_METERS US_FL_OZ US_PT US_QT US_GAL IMP_FL_OZ IMP_PT IMP_QT IMP_GAL',
  weight: 'OZ OUNCES LB POUNDS G GRAMS KG KILOGRAMS',
};
const URL_SCHEMES = ['http', 'https', 'mailto', 'sms', 'tel'];
const MAX_TEXT_BYTES = 65_536;
const MAX_JSON_BYTES = 131_072;
const MAX_LIST_ENTRIES = 128;

const SINGLE: Readonly<Record<string, Normaliser>> = {
  single_line_text_field: (text) =>
    /[\r\n]/.test(text) ? problem('Value must be a single line text string.') : { value: text },
  multi_line_text_field: (value) => ({ value }),
  boolean: normalBoolean,
  number_integer: normalInteger,
  number_decimal: normalDecimal,
  date: (text) => (isDate(text) ? { value: text } : problem('Value must be in YYYY-MM-DD format.')),
  date_time: normalDateTime,
  url: normalUrl,
  color: (text) =>
    /^#[0-9a-f]{6}$/i.test(text) ? { value: text } : problem('Value must be a hex color code.'),
  json: normalJson,
  rich_text_field: normalJson,
  link: normalJson,
  money: normalMoney,
  rating: normalRating,
  dimension: (text) => normalMeasure(text, 'dimension'),
  volume: (text) => normalMeasure(text, 'volume'),
  weight: (text) => normalMeasure(text, 'weight'),
};
const NOT_LISTED = ['multi_line_text_field', 'boolean', 'json', 'rich_text_field', 'money'];

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

function normalDateTime(text: string): NormalValue {
  const [, time, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(text.trim()) ?? [];
  if (time === undefined || Number.isNaN(Date.parse(time)))
    return problem('Value must be in “YYYY-MM-DDTHH:MM:SS” format. For example: 2022-06-01T15:30:00');
  return { value: `${time}${zone === 'Z' ? '+00:00' : zone}` };
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

function normalUrl(text: string): NormalValue {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase() ?? '';
  if (URL_SCHEMES.includes(scheme)) return { value: text };
  return problem(`Value must be one of the following URL schemes: ${URL_SCHEMES.join(', ')}.`);
}

/** Compact JSON was recorded to come back unchanged; the effect on white space was not. */
function normalJson(text: string): NormalValue {
  return parsed(text) === undefined ? problem('Value is invalid JSON.') : { value: text };
}

function normalMoney(text: string): NormalValue {
  const { amount, currency_code: currency } = membersOf(text);
  if (amount === '' || Number.isNaN(Number(amount))) return problem('Value must have a numeric amount.');
  if (!currency) return problem('Value must have a currency code.');
  return { value: JSON.stringify({ amount: String(amount), currency_code: currency }) };
}

function normalRating(text: string): NormalValue {
  const { scale_min: min, scale_max: max, value } = membersOf(text);
  if ([min, max, value].some((part) => Number.isNaN(Number(part))))
    return problem('Value must have a value, a scale_min and a scale_max.');
  return {
    value: JSON.stringify({ scale_min: String(min), scale_max: String(max), value: String(value) }),
  };
}

function normalMeasure(text: string, kind: string): NormalValue {
  const { value, unit } = membersOf(text);
  const units = MEASURE_UNITS[kind]?.split(' ') ?? [];
  const written = String(unit).toUpperCase();
  if (!units.includes(written)) return problem(`Value must have a supported unit: ${units.join(', ')}.`);
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
