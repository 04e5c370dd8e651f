/** A number with a unit of measure as it stands in a text, such as `25 W`, `1,5 kg` or `10"`. */
export interface Quantity {
  /** As the text has it. */
  readonly text: string;
  /** The possible values of the digits: `1.500` is 1500 to some and 1.5 to others. */
  readonly values: readonly number[];
  /** In one spelling: `inch`, `in` and `"` are one unit. */
  readonly unit: string;
}

/** Spellings of each unit, in lower case. A unit that differs by letter case alone (mW, MW) is compared without case. */
const UNITS: Readonly<Record<string, readonly string[]>> = {
  mm: ['mm', 'millimeter', 'millimetre', 'millimeters', 'millimetres'],
  cm: ['cm', 'centimeter', 'centimetre', 'centimeters', 'centimetres', 'zentimeter'],
  m: ['m', 'meter', 'metre', 'meters', 'metres'],
  km: ['km'],
  in: ['in', 'inch', 'inches', 'zoll', '"', '″', '”'],
  ft: ['ft', 'foot', 'feet'],
  yd: ['yd', 'yard', 'yards'],
  mg: ['mg'],
  g: ['g', 'gr', 'gram', 'grams', 'gramm', 'grammes'],
  kg: ['kg', 'kilo', 'kilogram', 'kilograms', 'kilogramm'],
  oz: ['oz', 'ounce', 'ounces'],
  lb: ['lb', 'lbs', 'pound', 'pounds'],
  ml: ['ml', 'milliliter', 'millilitre', 'milliliters', 'millilitres'],
  cl: ['cl'],
  l: ['l', 'liter', 'litre', 'liters', 'litres', 'ltr'],
  w: ['w', 'watt', 'watts'],
  kw: ['kw'],
  wh: ['wh'],
  kwh: ['kwh'],
  v: ['v', 'volt', 'volts'],
  a: ['a', 'amp', 'amps', 'ampere'],
  mah: ['mah'],
  hz: ['hz', 'hertz'],
  khz: ['khz'],
  mhz: ['mhz'],
  ghz: ['ghz'],
  kb: ['kb'],
  mb: ['mb'],
  gb: ['gb'],
  tb: ['tb'],
  mp: ['mp', 'megapixel', 'megapixels'],
  px: ['px', 'pixel', 'pixels'],
  dpi: ['dpi'],
  lm: ['lm', 'lumen', 'lumens'],
  k: ['k', 'kelvin'],
  '°c': ['°c', 'celsius'],
  '°f': ['°f', 'fahrenheit'],
  bar: ['bar'],
  psi: ['psi'],
  nm: ['nm'],
  db: ['db'],
  rpm: ['rpm', 'u/min'],
  '%': ['%', 'percent', 'prozent'],
  h: ['h', 'hr', 'hrs', 'hour', 'hours', 'stunde', 'stunden'],
  min: ['min', 'mins', 'minute', 'minutes', 'minuten'],
  year: ['year', 'years', 'jahr', 'jahre'],
  karat: ['karat', 'carat', 'ct', 'kt'],
};

const UNIT_OF = new Map(
  Object.entries(UNITS).flatMap(([unit, spellings]) =>
    spellings.map((spelling) => [spelling, unit] as const),
  ),
);

/** Digits with separators between them. Each repetition starts with a separator, so that matching is linear. */
const NUMBER = /\d+(?:[.,]\d+)*/g;
/** The longest spelling of a unit is fifteen letters. */
const UNIT_AFTER = /^[ \u00a0\u202f-]?(["″”%]|°[cf]\b|u\/min\b|\p{L}{1,15}(?![\p{L}\p{N}]))/iu;

/** Every number with a unit in the text, in its order. */
export function quantitiesIn(text: string): Quantity[] {
  const found: Quantity[] = [];
  for (const match of text.matchAll(NUMBER)) {
    const end = match.index + match[0].length;
    const unitMatch = UNIT_AFTER.exec(text.slice(end, end + 20));
    const unit = UNIT_OF.get(unitMatch?.[1]?.toLowerCase() ?? '');
    if (unitMatch === null || unit === undefined) continue;
    // `X25 W` is a model's name, not a number.
    if (/[\p{L}\p{N}]/u.test(text.charAt(match.index - 1))) continue;
    found.push({ text: match[0] + unitMatch[0], values: valuesOf(match[0]), unit });
  }
  return found;
}

/** Every number in the text, with or without a unit. */
export function numbersIn(text: string): number[] {
  return [...text.matchAll(NUMBER)].flatMap(([digits]) => valuesOf(digits));
}

/**
 * The possible values of digits with separators: with the last separator as the decimal one, and with all of them
 * between thousands.
 */
function valuesOf(digits: string): number[] {
  const bare = Number(digits.replaceAll(/[.,]/g, ''));
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last === -1) return [bare];
  const decimal = Number(`${digits.slice(0, last).replaceAll(/[.,]/g, '')}.${digits.slice(last + 1)}`);
  const groups = digits.split(/[.,]/).slice(1);
  return groups.every((group) => group.length === 3) ? [bare, decimal] : [decimal];
}
