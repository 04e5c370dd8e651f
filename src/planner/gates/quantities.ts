/** A number with a unit of measure as it stands in a text, such as `25 W`, `1,5 kg` or `10"`. */
export interface Quantity {
  /** As the text has it. */
  readonly text: string;
  /** The possible values of the digits: `1.500` is 1500 to some and 1.5 to others. */
  readonly values: readonly number[];
  /** In one spelling: `inch`, `in` and `"` are one unit. */
  readonly unit: string;
  /** False where the sign may mean something else, such as the word `in` or a quotation mark. */
  readonly isCertain: boolean;
}

/** Units with several spellings, in lower case. The first one stands for the unit. */
const SPELLINGS: readonly string[] = [
  'mm millimeter millimetre millimeters millimetres',
  'cm centimeter centimetre centimeters centimetres zentimeter',
  'm meter metre meters metres metern mètre mètres metro metros metri',
  'm2 qm sqm',
  'cm2 qcm',
  'm3 cbm',
  'cm3 ccm',
  'in inch inches zoll pouce pouces pulgada pulgadas pollice pollici " ″ ”',
  'ft foot feet',
  'yd yard yards',
  'μg mcg',
  'g gr gram grams gramm gramme grammes gramo gramos grammo grammi',
  'kg kilo kilos kilogram kilograms kilogramm',
  'oz ounce ounces',
  'lb lbs pound pounds',
  'ml milliliter millilitre milliliters millilitres',
  'l liter litre liters litres litro litros litri ltr',
  'gal gallon gallons',
  'w watt watts',
  'v volt volts',
  'a amp amps ampere',
  'ω ohm ohms',
  'hz hertz',
  'mp megapixel megapixels',
  'px pixel pixels',
  'mbps mbit',
  'gbps gbit',
  'lx lux',
  'lm lumen lumens',
  'k kelvin',
  '°c celsius',
  '°f fahrenheit',
  'km/h kmh kph',
  'rpm u/min',
  '% percent prozent',
  'sec secs second seconds sek sekunde sekunden seconde secondes segundos secondi',
  'h hr hrs hour hours stunde stunden heure heures hora horas ora ore uur',
  'min mins minute minutes minuten',
  'day days tag tage tagen jour jours día días giorno giorni dagen',
  'week weeks woche wochen semaine semaines semanas settimane weken',
  'month months monat monate monaten mois meses mesi maanden',
  'year years jahr jahre jahren an ans año años anno anni jaar',
  'karat carat ct kt',
];
/** Units with one spelling. A unit that differs by letter case alone (mW, MW) is compared without case. */
const OTHER_UNITS =
  'μm km mg cl dl kw wh kwh ma mah ah va mw mv kv khz mhz ghz kb mb gb tb dpi fps bar mbar kpa kcal kj mph psi nm db ms';

const UNIT_OF = new Map(
  [...SPELLINGS, ...OTHER_UNITS.split(' ')].flatMap((line) => {
    const spellings = line.split(' ');
    return spellings.map((spelling) => [spelling, spellings[0] ?? ''] as const);
  }),
);

/** Groups of three digits that stand apart, or digits with separators between them. Each repetition starts with a separator: linear. */
const NUMBER = /\d{1,3}(?:[ \u00a0\u2009\u202f'’]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*/g;
const GROUP_SIGNS = /[ \u00a0\u2009\u202f'’]/;
/** The longest spelling of a unit is fifteen letters. */
const UNIT_AFTER =
  /^[ \u00a0\u2009\u202f-]?(["″”%]|°[cf](?!\p{L})|(?:u\/min|km\/h)(?!\p{L})|c?m[23](?![\p{L}\p{N}])|\p{L}{1,15}[²³]?(?![\p{L}\p{N}]))/iu;
/** Between the numbers of a size or a range, whose unit stands once at the end. */
const SIGN_BETWEEN = /^\s{0,2}[x×*–—-]\s{0,2}$/i;
const WORD_BETWEEN = /^\s(?:to|bis|à|a|and|und|et|y|e|or|oder|ou|o)\s$/i;
/** The most numbers of one size, such as `2 x 3 x 4 cm`. A longer row is no size, and each of its numbers would repeat all of it. */
const MOST_IN_ONE = 4;
/** Spellings that are words, too: `2020 in Italy`, `5 a day`, `2 an hour`. */
const WORDS: ReadonlySet<string> = new Set(['in', 'a', 'an']);
/** Digits of other scripts, ten in a row from each of these on. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0xff10];

interface Place {
  readonly start: number;
  readonly end: number;
  readonly digits: string;
}

/** Every number with a unit in the text, in its order. A number of a size or a range has the unit that stands at its end. */
export function quantitiesIn(text: string): Quantity[] {
  const found: Quantity[] = [];
  const read = withPlainDigits(text);
  const places = [...read.matchAll(NUMBER)].map((match): Place => ({
    start: match.index,
    end: match.index + match[0].length,
    digits: match[0],
  }));
  const quotes = quotesBefore(read, places);
  let next: (Measured & { readonly start: number; readonly numbers: number }) | null = null;
  for (let index = places.length - 1; index >= 0; index -= 1) {
    const place = places[index];
    if (place === undefined) break;
    const own = unitAt(read, place, quotes[index] ?? 0);
    const measured: Measured | null =
      own ??
      (next === null || next.numbers >= MOST_IN_ONE
        ? null
        : inherited(read.slice(place.end, next.start), next));
    // `X25 W` is a model's name, not a number.
    const isName = /[\p{L}\p{N}]/u.test(read.charAt(place.start - 1));
    const numbers: number = own !== null || next === null ? 1 : next.numbers + 1;
    next = measured === null || isName ? null : { start: place.start, numbers, ...measured };
    if (next === null) continue;
    const { end, unit, isCertain } = next;
    found.push({ text: text.slice(place.start, end), values: valuesOf(place.digits), unit, isCertain });
  }
  return found.reverse();
}

interface Measured {
  /** Where the unit ends. */
  readonly end: number;
  readonly unit: string;
  readonly isCertain: boolean;
}

function unitAt(text: string, { end }: Place, quotesOpen: number): Measured | null {
  const match = UNIT_AFTER.exec(text.slice(end, end + 20));
  const spelling = match?.[1]?.normalize('NFKC').toLowerCase() ?? '';
  const unit = UNIT_OF.get(spelling);
  if (match === null || unit === undefined) return null;
  const after = end + match[0].length;
  const isAttached = match[0] === match[1];
  const isWord =
    WORDS.has(spelling) && !isAttached && /^[\s-]+[\p{L}\p{N}]/u.test(text.slice(after, after + 4));
  const closesQuote = /["”]/.test(spelling) && quotesOpen > 0;
  return { end: after, unit, isCertain: !isWord && !closesQuote };
}

function inherited(between: string, { end, unit, isCertain }: Measured): Measured | null {
  if (between.length > 6) return null;
  if (SIGN_BETWEEN.test(between)) return { end, unit, isCertain };
  return WORD_BETWEEN.test(between) ? { end, unit, isCertain: false } : null;
}

/** How many quotations are open at each of the places, in one pass. */
function quotesBefore(text: string, places: readonly Place[]): number[] {
  let at = 0;
  let plain = false;
  let curly = 0;
  return places.map(({ end }) => {
    for (; at < end; at += 1) {
      const sign = text.charAt(at);
      if (sign === '"') plain = !plain;
      else if (sign === '“') curly += 1;
      else if (sign === '”') curly = Math.max(0, curly - 1);
    }
    return (plain ? 1 : 0) + curly;
  });
}

/** Every number in the text, with or without a unit. */
export function numbersIn(text: string): number[] {
  return [...withPlainDigits(text).matchAll(NUMBER)].flatMap(([digits]) => valuesOf(digits));
}

/** The text with ASCII digits, and of the same length. */
function withPlainDigits(text: string): string {
  return text.replaceAll(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]/g, (digit) => {
    const code = digit.charCodeAt(0);
    return String(code - (ZEROS.findLast((zero) => zero <= code) ?? code));
  });
}

/**
 * The possible values of digits with separators: with the last separator as the decimal one, and with all of them
 * between thousands. Of groups that stand apart, `2 500`, the last may be a number of its own.
 */
function valuesOf(digits: string): number[] {
  const groups = digits.split(GROUP_SIGNS);
  const whole = separated(groups.join(''));
  return groups.length === 1 ? whole : [...whole, ...separated(groups.at(-1) ?? '')];
}

function separated(digits: string): number[] {
  const bare = Number(digits.replaceAll(/[.,]/g, ''));
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last === -1) return [bare];
  const decimal = Number(`${digits.slice(0, last).replaceAll(/[.,]/g, '')}.${digits.slice(last + 1)}`);
  const groups = digits.split(/[.,]/).slice(1);
  return groups.every((group) => group.length === 3) ? [bare, decimal] : [decimal];
}
