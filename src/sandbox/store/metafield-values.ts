/** The store's normal form of a metafield's value, or the reason why the value is invalid. */
export type NormalValue = { readonly value: string } | { readonly problem: string };

type Normaliser = (text: string) => NormalValue;

const UNITS = {
  dimension: ['IN', 'FT', 'YD', 'MM', 'CM', 'M'],
  volume: [
    'ML',
    'CL',
    'L',
    'M3',
    'US_FL_OZ',
    'US_PT',
    'US_QT',
    'US_GAL',
    'IMP_FL_OZ',
    'IMP_PT',
    'IMP_QT',
    'IMP_GAL',
  ],
  weight: ['OZ', 'LB', 'G', 'KG'],
} as const;
const UNIT_NAMES: Readonly<Record<string, string>> = {
  INCHES: 'IN', FEET: 'FT', YARDS: 'YD', MILLIMETERS: 'MM', CENTIMETERS: 'CM', METERS: 'M',
  MILLILITERS: 'ML', CENTILITERS: 'CL', LITERS: 'L', CUBIC_METERS: 'M3',
  OUNCES: 'OZ', POUNDS: 'LB', GRAMS: 'G', KILOGRAMS: 'KG',
}; // prettier-ignore
const REFERENCES = [
  'collection',
  'file',
  'metaobject',
  'mixed',
  'page',
  'product',
  'product_taxonomy_value',
  'variant',
];
const URL_SCHEMES = ['http', 'https', 'mailto', 'sms', 'tel'];
const MAX_TEXT_BYTES = 65_536;
const MAX_JSON_BYTES = 131_072;
const MAX_LIST_ENTRIES = 128;

const SINGLE: Readonly<Record<string, Normaliser>> = {
  single_line_text_field: (text) =>
    /[\r\n]/.test(text) ? problem('Value must be a single line text string.') : accepted(text),
  multi_line_text_field: accepted,
  boolean: normalBoolean,
  number_integer: normalInteger,
  number_decimal: normalDecimal,
  date: (text) => (isDate(text) ? accepted(text) : problem('Value must be in YYYY-MM-DD format.')),
  date_time: normalDateTime,
  url: normalUrl,
  color: (text) =>
    /^#[0-9a-f]{6}$/i.test(text) ? accepted(text) : problem('Value must be a hex color code.'),
  json: normalJson,
  rich_text_field: normalJson,
  link: normalJson,
  money: normalMoney,
  rating: normalRating,
  dimension: (text) => normalMeasure(text, UNITS.dimension),
  volume: (text) => normalMeasure(text, UNITS.volume),
  weight: (text) => normalMeasure(text, UNITS.weight),
  id: accepted,
  language: accepted,
  ...Object.fromEntries(REFERENCES.map((name) => [`${name}_reference`, normalReference])),
};
const NOT_LISTED = ['multi_line_text_field', 'boolean', 'json', 'rich_text_field', 'money', 'id', 'language'];

/** True for a type the store knows, lists included. */
export function isMetafieldType(type: string): boolean {
  const single = type.startsWith('list.') ? type.slice('list.'.length) : type;
  return Object.hasOwn(SINGLE, single) && (single === type || !NOT_LISTED.includes(single));
}

/** The value as it will be read back, or why it is refused; blank text is always refused. The type must be known. */
export function normaliseMetafieldValue(type: string, text: string): NormalValue {
  if (text.trim() === '') return problem("Value can't be blank.");
  const limit = type === 'json' || type === 'rich_text_field' ? MAX_JSON_BYTES : MAX_TEXT_BYTES;
  if (Buffer.byteLength(text) > limit) return problem(`Value is too long (maximum is ${limit} bytes).`);
  return type.startsWith('list.') ? normalList(type.slice('list.'.length), text) : normaliserOf(type)(text);
}

/** `jsonValue` of a stored value; false stays text, as it was recorded. */
export function metafieldJson(type: string, value: string): unknown {
  if (type === 'number_integer') return Number(value);
  if (type === 'boolean') return value === 'true' ? true : value;
  const structured = ['json', 'rich_text_field', 'link', 'money', 'rating', 'dimension', 'volume', 'weight'];
  return type.startsWith('list.') || structured.includes(type) ? parsed(value) : value;
}

function normaliserOf(type: string): Normaliser {
  return SINGLE[type] ?? (() => problem(`Type ${type} is not known.`));
}

function normalList(elementType: string, text: string): NormalValue {
  const elements = parsed(text);
  if (!Array.isArray(elements)) return problem('Value must be an array.');
  if (elements.length > MAX_LIST_ENTRIES)
    return problem(`Value has too many entries (maximum is ${MAX_LIST_ENTRIES}).`);
  const normal: unknown[] = [];
  for (const element of elements as unknown[]) {
    const result = normaliserOf(elementType)(typeof element === 'string' ? element : JSON.stringify(element));
    if ('problem' in result) return result;
    normal.push(typeof element === 'string' ? result.value : (parsed(result.value) ?? result.value));
  }
  return accepted(JSON.stringify(normal));
}

function normalBoolean(text: string): NormalValue {
  const word = text.trim().toLowerCase();
  if (['true', 't', '1'].includes(word)) return accepted('true');
  if (['false', 'f', '0'].includes(word)) return accepted('false');
  return problem('Value must be true or false.');
}

function normalInteger(text: string): NormalValue {
  const match = /^(-?\d+)(?:\.0+)?$/.exec(text.trim());
  if (match?.[1] === undefined) return problem('Value must be an integer.');
  const value = BigInt(match[1]);
  const limit = BigInt(Number.MAX_SAFE_INTEGER);
  if (value > limit || value < -limit) return problem('Value must be within the range of safe integers.');
  return accepted(value.toString());
}

/** Cut, not rounded, to nine places. */
function normalDecimal(text: string): NormalValue {
  const match = /^(-?\d+)(?:\.(\d+))?$/.exec(text.trim());
  if (match?.[1] === undefined) return problem('Value must be a decimal.');
  return accepted(`${match[1]}.${(match[2] ?? '0').slice(0, 9)}`);
}

function normalDateTime(text: string): NormalValue {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(text.trim());
  if (!match?.[1] || !match[2] || Number.isNaN(Date.parse(text.trim()))) {
    return problem('Value must be in “YYYY-MM-DDTHH:MM:SS” format. For example: 2022-06-01T15:30:00');
  }
  const zone = match[3] === undefined || match[3] === 'Z' ? '+00:00' : match[3];
  return accepted(`${match[1]}T${match[2]}${zone}`);
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

function normalUrl(text: string): NormalValue {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    const list = URL_SCHEMES.map((each) => `"${each}"`).join(', ');
    return problem(
      `Value cannot have an empty scheme (protocol), must include one of the following URL schemes: [${list}].'`,
    );
  }
  if (URL_SCHEMES.includes(scheme)) return accepted(text);
  return problem(`Value must be one of the following URL schemes: ${URL_SCHEMES.join(', ')}.`);
}

function normalJson(text: string): NormalValue {
  const value = parsed(text);
  // Compact JSON was recorded to come back unchanged; the effect on white space was not.
  return value === undefined ? problem('Value is invalid JSON.') : accepted(text);
}

function normalMoney(text: string): NormalValue {
  const value = parsed(text);
  if (!isRecord(value) || !('amount' in value) || !('currency_code' in value)) {
    return problem(
      "Value must be a stringified JSON object with amount (numeric) and currency_code (string matching the shop's currency) fields.",
    );
  }
  const amount = Number(value['amount']);
  if (value['amount'] === '' || Number.isNaN(amount)) return problem('Value must have a numeric amount.');
  if (Math.abs(amount) > 1e18) return problem('Value must be within +/-1000000000000000000.');
  if (!value['currency_code']) return problem('Value must have a currency code.');
  return accepted(JSON.stringify({ amount: String(value['amount']), currency_code: value['currency_code'] }));
}

function normalRating(text: string): NormalValue {
  const value = parsed(text);
  if (!isRecord(value)) return problem('Value must be a rating.');
  const { scale_min: min, scale_max: max, value: given } = value;
  if ([min, max, given].some((part) => part === undefined || Number.isNaN(Number(part)))) {
    return problem('Value must have a value, a scale_min and a scale_max.');
  }
  return accepted(JSON.stringify({ scale_min: String(min), scale_max: String(max), value: String(given) }));
}

function normalMeasure(text: string, units: readonly string[]): NormalValue {
  const measure = parsed(text);
  if (!isRecord(measure)) return problem('Value must be a stringified JSON object with a value and a unit.');
  const written = String(measure['unit']).toUpperCase();
  if (!units.includes(UNIT_NAMES[written] ?? written))
    return problem(`Value must have a supported unit: ${units.join(', ').toLowerCase()}.`);
  const amount = Number(measure['value']);
  if (measure['value'] === undefined || Number.isNaN(amount))
    return problem('Value must have a numeric value.');
  // Whole numbers gain a decimal place, which no JSON number of JavaScript's keeps.
  const number = Number.isInteger(amount) ? `${amount}.0` : String(amount);
  return accepted(`{"value":${number},"unit":${JSON.stringify(written)}}`);
}

function normalReference(text: string): NormalValue {
  return /^gid:\/\/shopify\/\w+\/\w+$/.test(text)
    ? accepted(text)
    : problem('Value must be a valid reference.');
}

function accepted(value: string): NormalValue {
  return { value };
}

function problem(text: string): NormalValue {
  return { problem: text };
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
