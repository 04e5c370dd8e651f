import type { MetafieldDefinition } from '../domain/metafield-definition.js';
import { jsonOrNull, withoutTrailing } from '../domain/text.js';
import { judgedAddress } from './html/address.js';
import { plainTextOf } from './html/plain-text.js';
import { isMeasureKind, measureJson, measureOf, unitsOf } from './measures.js';
import { richList, richText } from './rich-text.js';

/** A value in the definition's type, or the reason why it does not fit. */
export type Fitted = { readonly value: string; readonly type: string } | { readonly problem: string };

/** Whether a text matches a pattern of the store; null for a pattern that cannot be tried here. */
export type PatternTest = (pattern: string, text: string) => boolean | null;

interface Rules {
  readonly rule: (name: string) => string | null;
  readonly matches: PatternTest;
}

type Result = { readonly value: string } | { readonly problem: string };
type Fit = (text: string, rules: Rules) => Result;

/**
 * An attribute in the type that the merchant defined, within the rules of the definition. Nothing is invented: a
 * value that would lose or change its meaning does not fit. `source` has the type that its JSON value has by itself.
 */
export function fitted(
  source: { readonly value: string; readonly type: string | null },
  definition: MetafieldDefinition,
  matches: PatternTest,
): Fitted {
  const { type } = definition;
  const rule = (name: string): string | null =>
    definition.validations.find((each) => each.name === name)?.value ?? null;
  const rules = { rule, matches };
  const entries = listEntries(source);
  const result = type.startsWith('list.')
    ? fitList(type.slice('list.'.length), entries ?? [source.value], rules)
    : fitSingle(type, source, entries, rules);
  return 'problem' in result ? result : { ...result, type };
}

/** The texts of a list's entries; null for a value that is no list. */
export function listEntries({
  value,
  type,
}: {
  readonly value: string;
  readonly type: string | null;
}): string[] | null {
  if (type !== 'json' && type?.startsWith('list.') !== true) return null;
  const json = JSON.parse(value) as unknown;
  if (!Array.isArray(json)) return null;
  return json.map((entry: unknown) => (typeof entry === 'string' ? entry : JSON.stringify(entry)));
}

function fitSingle(
  type: string,
  source: { readonly value: string; readonly type: string | null },
  entries: readonly string[] | null,
  rules: Rules,
): Result {
  if (type === 'json') return fitJson(source);
  if (entries !== null && type === 'rich_text_field')
    return orProblem(richList(entries), 'it is an empty list');
  if (entries !== null && type === 'multi_line_text_field') return fitText(entries.join('\n'), rules);
  if (entries !== null) {
    const [only, ...more] = entries;
    if (only === undefined || more.length > 0)
      return no(`it is a list of ${String(entries.length)} values, and the definition takes one`);
    return fitEntry(type, only, rules);
  }
  if (source.type === 'json' && !TAKES_OBJECTS.has(type)) return no('it is an object, not a value');
  return fitEntry(type, source.value, rules);
}

function fitList(type: string, entries: readonly string[], rules: Rules): Result {
  const { rule } = rules;
  const least = rule('list.min');
  const most = rule('list.max') ?? String(MOST_ENTRIES);
  const count = String(entries.length);
  if (least !== null && entries.length < Number(least))
    return no(`it has ${count} entries, at least ${least}`);
  if (entries.length > Number(most)) return no(`it has ${count} entries, at most ${most}`);
  const values: unknown[] = [];
  for (const entry of entries) {
    const fit = fitEntry(type, entry, rules);
    if ('problem' in fit) return fit;
    values.push(JSON_ENTRIES.has(type) ? (JSON.parse(fit.value) as unknown) : fit.value);
  }
  return { value: JSON.stringify(values) };
}

function fitEntry(type: string, text: string, rules: Rules): Result {
  const fit = Object.hasOwn(FITS, type) ? FITS[type] : undefined;
  if (fit !== undefined) return fit(text.trim(), rules);
  if (isMeasureKind(type)) return fitMeasure(type, text, rules);
  return no(`store-sync writes no value of type ${type}`);
}

/** Entries of a list in the store. */
const MOST_ENTRIES = 128;
const NO_HOSTS = { pictures: new Set<string>(), embeds: new Set<string>() };
/** Characters of an address in the store. */
const LONGEST_ADDRESS = 2048;

const TAKES_OBJECTS: ReadonlySet<string> = new Set('dimension weight volume money rating link'.split(' '));
const JSON_ENTRIES: ReadonlySet<string> = new Set(
  'number_integer dimension weight volume rating link'.split(' '),
);

const FITS: Readonly<Record<string, Fit>> = {
  single_line_text_field: (text, rules) => {
    const plain = plainTextOf(text).trim();
    return /[\r\n]/.test(plain) ? no('it has several lines') : fitText(plain, rules);
  },
  multi_line_text_field: fitText,
  rich_text_field: (text) =>
    objectOf(text) === null ? orProblem(richText(text), 'it has no text') : no('it is JSON, not text'),
  boolean: (text) =>
    /^(true|false)$/i.test(text) ? yes(text.toLowerCase()) : no('it is neither true nor false'),
  number_integer: (text, rules) => {
    if (isCode(text)) return no(CODE);
    if (!/^-?\d{1,15}(\.0{1,9})?$/.test(text)) return no('it is no whole number');
    return within(yes(text.split('.')[0] ?? text), Number(text), rules, Number);
  },
  number_decimal: (text, rules) => {
    if (isCode(text)) return no(CODE);
    if (!/^-?\d{1,13}(\.\d{1,9})?$/.test(text)) return no('it is no number that the store holds');
    const precision = rules.rule('max_precision');
    const places = withoutTrailing(text.split('.')[1] ?? '', '0').length;
    if (precision !== null && places > Number(precision))
      return no(`it has ${String(places)} decimal places, at most ${precision}`);
    return within(yes(text), Number(text), rules, Number);
  },
  date: (text, rules) => {
    if (!/^\d{4}-\d\d-\d\d$/.test(text) || !isDate(text)) return no('it is no date as YYYY-MM-DD');
    return within(yes(text), Date.parse(text), rules, Date.parse);
  },
  date_time: (text, rules) => {
    const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/.test(text);
    if (!isTime || !isDate(text.slice(0, 10)) || Number.isNaN(Date.parse(text)))
      return no('it is no date with time');
    return within(yes(text), Date.parse(text), rules, Date.parse);
  },
  url: fitUrl,
  color: (text) => (/^#[0-9a-f]{6}$/i.test(text) ? yes(text) : no('it is no colour as #RRGGBB')),
  rating: fitRating,
  money: (text) =>
    hasTexts(text, ['amount', 'currency_code']) ? yes(text) : no('it is no amount with a currency_code'),
  link: (text) => {
    if (!hasTexts(text, ['url'])) return no('it is no link with a url');
    const judged = judgedAddress(String(objectOf(text)?.get('url')), 'link', NO_HOSTS);
    return 'refused' in judged ? no(judged.refused) : yes(text);
  },
};

function fitText(text: string, { rule, matches }: Rules): Result {
  const choices = rule('choices');
  if (choices !== null) return fitChoice(text, choices);
  const length = Array.from(text).length;
  const [least, most, pattern] = [rule('min'), rule('max'), rule('regex')];
  if (text === '') return no('it is empty');
  if (least !== null && length < Number(least))
    return no(`it has ${String(length)} characters, at least ${least}`);
  if (most !== null && length > Number(most))
    return no(`it has ${String(length)} characters, at most ${most}`);
  if (pattern !== null && matches(pattern, text) === false) return no(`it does not match ${pattern}`);
  return yes(text);
}

/** The merchant's spelling of a choice, whatever the letter case of the value. */
function fitChoice(text: string, choices: string): Result {
  const known = textsOf(choices);
  if (known === null) return no('the definition’s choices cannot be read');
  const wanted = text.trim().toLowerCase();
  const found =
    known.find((choice) => choice === text) ?? known.find((choice) => choice.toLowerCase() === wanted);
  return found === undefined
    ? no(`“${text.slice(0, 100)}” is none of the choices: ${known.join(', ')}`)
    : yes(found);
}

function fitUrl(text: string, { rule }: Rules): Result {
  if (text.length > LONGEST_ADDRESS)
    return no(`it has ${String(text.length)} characters, at most ${String(LONGEST_ADDRESS)}`);
  if (!URL.canParse(text)) return no('it is no address');
  const { protocol, hostname } = new URL(text);
  if (!['https:', 'http:', 'mailto:', 'tel:', 'sms:'].includes(protocol))
    return no(`${protocol} is no link of a shop`);
  const judged = protocol === 'sms:' ? null : judgedAddress(text, 'link', NO_HOSTS);
  if (judged !== null && 'refused' in judged) return no(judged.refused);
  const allowed = rule('allowed_domains');
  if (allowed === null) return yes(text);
  const domains = textsOf(allowed);
  if (domains === null) return no('the definition’s domains cannot be read');
  return domains.includes(hostname)
    ? yes(text)
    : no(`${hostname} is none of the domains: ${domains.join(', ')}`);
}

function fitRating(text: string, { rule }: Rules): Result {
  const least = rule('scale_min');
  const most = rule('scale_max');
  if (least === null || most === null) return no('the definition has no scale');
  const given = hasTexts(text, ['value']) ? String(objectOf(text)?.get('value')) : text;
  if (!/^-?\d{1,13}(\.\d{1,9})?$/.test(given)) return no('it is no number');
  if (Number(given) < Number(least) || Number(given) > Number(most))
    return no(`it is not between ${least} and ${most}`);
  return yes(JSON.stringify({ value: given, scale_min: least, scale_max: most }));
}

function fitMeasure(kind: 'dimension' | 'weight' | 'volume', text: string, rules: Rules): Result {
  const measure = measureOf(kind, text);
  if (measure === null) return no(`it is no ${kind} in ${unitsOf(kind)}`);
  const bound = (given: string): number => measureOf(kind, given)?.size ?? Number.NaN;
  return within(yes(measureJson(measure)), measure.size, rules, bound);
}

function fitJson({ value, type }: { readonly value: string; readonly type: string | null }): Result {
  const isJson = type === 'json' || type === 'boolean' || type?.startsWith('number_') === true;
  return yes(isJson || type?.startsWith('list.') === true ? value : JSON.stringify(value));
}

/** `result`, unless the definition's `min` or `max` leaves it out. A bound that cannot be read is the store's to check. */
function within(result: Result, size: number, { rule }: Rules, bound: (text: string) => number): Result {
  const [least, most] = [rule('min'), rule('max')];
  if (least !== null && size < bound(least)) return no(`it is less than ${least}`);
  if (most !== null && size > bound(most)) return no(`it is more than ${most}`);
  return result;
}

const CODE = 'it begins with a zero, so it is a code and no number';

/** The store would keep the number without the zeros. */
function isCode(text: string): boolean {
  return /^-?0\d/.test(text);
}

function isDate(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Whether the text is a JSON object with a text or number under each name. */
function hasTexts(text: string, names: readonly string[]): boolean {
  const members = objectOf(text);
  return members !== null && names.every((name) => ['string', 'number'].includes(typeof members.get(name)));
}

/** The members of a JSON object; null for any other text. */
function objectOf(text: string): ReadonlyMap<string, unknown> | null {
  const json = text.startsWith('{') ? jsonOrNull(text) : null;
  return typeof json === 'object' && json !== null ? new Map(Object.entries(json)) : null;
}

/** The entries of a list in a validation; null for anything else. */
function textsOf(list: string): string[] | null {
  const json = jsonOrNull(list);
  return Array.isArray(json) ? json.map(String) : null;
}

function orProblem(value: string | null, problem: string): Result {
  return value === null ? no(problem) : yes(value);
}

function yes(value: string): Result {
  return { value };
}

function no(problem: string): Result {
  return { problem };
}
