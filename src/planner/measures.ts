import { jsonOrNull } from '../domain/text.js';

/** The store's kinds of measures, each unit with its size in the kind's smallest one and the names that people use. */
const UNITS = {
  dimension: {
    mm: [1, 'millimeter', 'millimetre', 'millimeters', 'millimetres'],
    cm: [10, 'centimeter', 'centimetre', 'centimeters', 'centimetres'],
    m: [1000, 'meter', 'metre', 'meters', 'metres'],
    in: [25.4, 'inch', 'inches', '"', '″'],
    ft: [304.8, 'foot', 'feet', "'", '′'],
    yd: [914.4, 'yard', 'yards'],
  },
  weight: {
    g: [1, 'gram', 'grams', 'gr'],
    kg: [1000, 'kilogram', 'kilograms', 'kilo', 'kilos'],
    oz: [28.349523125, 'ounce', 'ounces'],
    lb: [453.59237, 'lbs', 'pound', 'pounds'],
  },
  volume: {
    ml: [1, 'milliliter', 'millilitre', 'milliliters', 'millilitres'],
    cl: [10, 'centiliter', 'centilitre', 'centiliters', 'centilitres'],
    l: [1000, 'liter', 'litre', 'liters', 'litres'],
    m3: [1_000_000, 'm³', 'cubic_meters', 'cubic meter', 'cubic meters'],
    us_fl_oz: [29.5735295625, 'fl oz', 'fl. oz', 'fluid ounce', 'fluid ounces'],
    us_pt: [473.176473, 'pint', 'pints', 'pt'],
    us_qt: [946.352946, 'quart', 'quarts', 'qt'],
    us_gal: [3785.411784, 'gallon', 'gallons', 'gal'],
    imp_fl_oz: [28.4130625],
    imp_pt: [568.26125],
    imp_qt: [1136.5225],
    imp_gal: [4546.09],
  },
} as const satisfies Record<string, Record<string, readonly [number, ...string[]]>>;

export type MeasureKind = keyof typeof UNITS;

interface Measure {
  readonly value: number;
  readonly unit: string;
  /** In the kind's smallest unit. */
  readonly size: number;
}

export function isMeasureKind(type: string): type is MeasureKind {
  return Object.hasOwn(UNITS, type);
}

/** The units of a kind, for people. */
export function unitsOf(kind: MeasureKind): string {
  return Object.keys(UNITS[kind]).join(', ');
}

/** A measure as text (`2.5 kg`) or as the store's JSON (`{"value":2.5,"unit":"KILOGRAMS"}`); null for anything else. */
export function measureOf(kind: MeasureKind, text: string): Measure | null {
  const [number, unit] = text.trimStart().startsWith('{') ? partsOfJson(text) : partsOfText(text);
  const value = number === '' ? Number.NaN : Number(number);
  if (!Number.isFinite(value)) return null;
  for (const [name, [size, ...others]] of Object.entries<readonly [number, ...string[]]>(UNITS[kind])) {
    if (name === unit || others.includes(unit)) return { value, unit: name, size: value * size };
  }
  return null;
}

/** The store's form of a measure. */
export function measureJson({ value, unit }: Measure): string {
  return JSON.stringify({ value, unit });
}

function partsOfText(text: string): [string, string] {
  const match = /^([+-]?\d{1,15}(?:[.,]\d{1,9})?)\s{0,3}([^\d\s][^\d]{0,20}3?)$/.exec(text.trim());
  const [, number = '', unit = ''] = match ?? [];
  // A comma before three digits may separate thousands.
  if (/,\d{3}$/.test(number)) return ['', ''];
  return [number.replace(',', '.'), unit.trim().toLowerCase()];
}

function partsOfJson(text: string): [string, string] {
  const json = jsonOrNull(text);
  if (typeof json !== 'object' || json === null || !('value' in json) || !('unit' in json)) return ['', ''];
  return [String(json.value), String(json.unit).toLowerCase()];
}
