import { withoutTrailing } from '../text.js';
import type { Definition } from './model.js';

const FACTORS: Readonly<Record<string, number>> = {
  MM: 1,
  CM: 10,
  M: 1000,
  IN: 25.4,
  FT: 304.8,
  YD: 914.4,
  ML: 1,
  CL: 10,
  L: 1000,
  M3: 1_000_000,
  G: 1,
  KG: 1000,
  OZ: 28.349523125,
  LB: 453.59237,
};
const LONG_NAMES: Readonly<Record<string, string>> = {
  MILLIMETERS: 'MM',
  CENTIMETERS: 'CM',
  METERS: 'M',
  INCHES: 'IN',
  FEET: 'FT',
  YARDS: 'YD',
  MILLILITERS: 'ML',
  CENTILITERS: 'CL',
  LITERS: 'L',
  CUBIC_METERS: 'M3',
  GRAMS: 'G',
  KILOGRAMS: 'KG',
  OUNCES: 'OZ',
  POUNDS: 'LB',
};

/** Why a value, in the store's normal form, breaks its definition's validations; null when it does not. */
export function definitionProblem({ type, validations }: Definition, value: string): string | null {
  const rules = new Map(validations.map((each) => [each.name, each.value]));
  if (!type.startsWith('list.')) return entryProblem(type, value, rules);
  const entries = JSON.parse(value) as unknown[];
  if (entries.length < Number(rules.get('list.min') ?? 0))
    return `Value must contain at least ${rules.get('list.min') ?? ''} entries.`;
  if (entries.length > Number(rules.get('list.max') ?? Number.POSITIVE_INFINITY))
    return `Value must contain at most ${rules.get('list.max') ?? ''} entries.`;
  for (const entry of entries) {
    const text = typeof entry === 'string' ? entry : JSON.stringify(entry);
    const problem = entryProblem(type.slice('list.'.length), text, rules);
    if (problem !== null) return problem;
  }
  return null;
}

function entryProblem(type: string, value: string, rules: ReadonlyMap<string, string>): string | null {
  const choices = rules.get('choices');
  if (choices !== undefined && !(JSON.parse(choices) as string[]).includes(value))
    return `Value does not exist in provided choices: ${choices}.`;
  const [least, most] = [rules.get('min'), rules.get('max')];
  const size = sizeOf(type, value);
  if (least !== undefined && size < boundOf(type, least)) return `Value has a minimum of ${least}.`;
  if (most !== undefined && size > boundOf(type, most)) return `Value has a maximum of ${most}.`;
  const precision = rules.get('max_precision');
  const places = withoutTrailing(value.split('.')[1] ?? '', '0');
  if (precision !== undefined && type === 'number_decimal' && places.length > Number(precision))
    return `Value can’t exceed ${precision} decimal places.`;
  const pattern = rules.get('regex');
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    return 'Value does not match the regex.';
  const domains = rules.get('allowed_domains');
  if (domains !== undefined && !(JSON.parse(domains) as string[]).includes(new URL(value).hostname))
    return `Value must be one of the domains ${domains}.`;
  return null;
}

function sizeOf(type: string, value: string): number {
  return type.endsWith('_text_field') ? Array.from(value).length : boundOf(type, value);
}

/** A bound of a text is a number of characters. */
function boundOf(type: string, text: string): number {
  if (type === 'date' || type === 'date_time') return Date.parse(text);
  if (type !== 'dimension' && type !== 'weight' && type !== 'volume') return Number(text);
  const { value, unit } = JSON.parse(text) as { value: number; unit: string };
  const name = unit.toUpperCase();
  return value * (FACTORS[LONG_NAMES[name] ?? name] ?? Number.NaN);
}
