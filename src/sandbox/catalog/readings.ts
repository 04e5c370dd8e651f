import { z } from 'zod';
import { FieldValidationError } from './http/errors.js';
import { MATCH_FIELDS, type MatchField } from './products/identifiers.js';

/**
 * How this sandbox reads what the interface specification leaves open. Each switch is one question; a client is correct only
 * when it holds under every answer.
 */
export interface CatalogReadings {
  /** Whether POST /products/ also matches variants of product models, or only what a listing shows. */
  readonly postMatchesVariants: boolean;
  /** Which identifier decides when a POST matches several products; each of the five fields once. */
  readonly matchOrder: readonly MatchField[];
  /** Whether `variants` in a PATCH (or in a POST that matches) adds to the set or replaces it. */
  readonly patchVariants: 'merge' | 'replace';
  /** Whether `open_attributes` and `metadata` in a PATCH (or in a POST that matches) replace the object or are merged key by key. */
  readonly patchObjects: 'replace' | 'merge';
  /** Whether PUT and PATCH honour `locale`. When they ignore it they write and answer the default locale. */
  readonly patchLocale: 'honoured' | 'ignored';
  /** Whether the variants path also takes POST. When it is read-only, POST answers 405. */
  readonly variantsPath: 'read-write' | 'read-only';
  /**
   * The value that clears a field. `both`: null and an empty text. `null`: an empty text is refused. `blank`: null is
   * refused, and an empty text, list or object clears. `ignored-null`: as `blank`, but null changes nothing.
   */
  readonly clearing: 'both' | 'null' | 'blank' | 'ignored-null';
  /**
   * The answer of GET in a locale without texts: the default locale's text, null texts, or 404 for one product (with
   * null texts in listings).
   */
  readonly missingLocale: 'default' | 'empty' | 'not-found';
  /**
   * Whether background tasks can be read. If not, their paths answer 403 or 404; `unnamed` is 404, without a task id
   * in any answer or delivery (`task.id` is an empty text).
   */
  readonly tasks: 'readable' | 'forbidden' | 'not-found' | 'unnamed';
  /**
   * Whether the five fields that a POST matches by are stored as they are sent, or without blanks around them and in lower case. A
   * normalised value with nothing left is none.
   */
  readonly identifiers: 'exact' | 'normalised';
  /** Whether DELETE /products/{id}/ exists. When it does not, it answers 405. */
  readonly deletion: 'allowed' | 'absent';
}

export const DEFAULT_READINGS: CatalogReadings = {
  postMatchesVariants: true,
  matchOrder: MATCH_FIELDS,
  patchVariants: 'merge',
  patchObjects: 'replace',
  patchLocale: 'honoured',
  variantsPath: 'read-write',
  clearing: 'both',
  missingLocale: 'default',
  tasks: 'readable',
  identifiers: 'exact',
  deletion: 'allowed',
};

/** The defaults with `readings` laid over them. Throws when `matchOrder` does not name each of the five fields once. */
export function resolveReadings(readings: Partial<CatalogReadings> = {}): CatalogReadings {
  const resolved = { ...DEFAULT_READINGS, ...readings };
  if ([...resolved.matchOrder].sort().join() !== [...MATCH_FIELDS].sort().join()) {
    throw new Error(`matchOrder must name each of ${MATCH_FIELDS.join(', ')} once`);
  }
  return resolved;
}

/**
 * A product body as the `clearing` switch reads it: refused values become field errors with a dotted path, ignored
 * values are omitted, and an empty text that clears becomes null. Free-form objects are left as they are.
 */
export function readClearing(body: unknown, clearing: CatalogReadings['clearing']): unknown {
  if (clearing === 'both') return body;
  const refused: Record<string, string[]> = {};
  const read = (value: unknown, path: string): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value).flatMap(([field, child]): [string, unknown][] => {
      const at = path === '' ? field : `${path}.${field}`;
      if (field === 'id') return [[field, child]];
      if (child === null && clearing === 'ignored-null') return [];
      if (child === null && clearing === 'blank') refused[at] = ['This field may not be null.'];
      if (child === '' && clearing === 'null') refused[at] = ['This field may not be blank.'];
      if (child === '') return [[field, null]];
      if (field === 'variants' && Array.isArray(child)) {
        return [[field, child.map((variant, index) => read(variant, `${at}.${index}`))]];
      }
      return [[field, child]];
    });
    return Object.fromEntries(entries);
  };
  const result = read(body, '');
  if (Object.keys(refused).length > 0) throw new FieldValidationError(refused);
  return result;
}

/** A product body as the `identifiers` switch reads it. */
export function readIdentifiers(body: unknown, reading: CatalogReadings['identifiers']): unknown {
  if (reading === 'exact' || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([field, value]: [string, unknown]) => {
      if (field === 'variants' && Array.isArray(value))
        return [field, value.map((variant) => readIdentifiers(variant, reading))];
      const isIdentifier = MATCH_FIELDS.some((name) => name === field);
      return [field, isIdentifier && typeof value === 'string' ? value.trim().toLowerCase() : value];
    }),
  );
}

const oneOf = <const Values extends readonly [string, ...string[]]>(...values: Values) => z.enum(values);

/** The values of the switches, as text. `satisfies` holds the names to those of the interface. */
const READING_TEXTS = {
  postMatchesVariants: oneOf('true', 'false').transform((text) => text === 'true'),
  matchOrder: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(MATCH_FIELDS))),
  patchVariants: oneOf('merge', 'replace'),
  patchObjects: oneOf('replace', 'merge'),
  patchLocale: oneOf('honoured', 'ignored'),
  variantsPath: oneOf('read-write', 'read-only'),
  clearing: oneOf('both', 'null', 'blank', 'ignored-null'),
  missingLocale: oneOf('default', 'empty', 'not-found'),
  tasks: oneOf('readable', 'forbidden', 'not-found', 'unnamed'),
  identifiers: oneOf('exact', 'normalised'),
  deletion: oneOf('allowed', 'absent'),
} satisfies { readonly [Name in keyof CatalogReadings]: z.ZodType<CatalogReadings[Name]> };
const readingTexts = z.strictObject(READING_TEXTS).partial();

/**
 * Readings from `name=value` texts, as the command line gives them; the fields of `matchOrder` are separated by commas.
 * Throws a ZodError when a name or a value is unknown.
 */
export function readingsOfTexts(texts: readonly string[]): Partial<CatalogReadings> {
  const pairs = texts.map((text): [string, string] => {
    const [name = '', ...value] = text.split('=');
    return [name, value.join('=')];
  });
  const given = readingTexts.parse(Object.fromEntries(pairs));
  return given;
}

export interface ReadingRow {
  readonly name: keyof CatalogReadings;
  readonly question: string;
  readonly values: string;
}

/** What each switch asks, for the help of `--reading`. The first value is the default. */
export const READING_ROWS: readonly ReadingRow[] = [
  {
    name: 'postMatchesVariants',
    question: 'Does POST match variants?',
    values: 'true; false: only listed products match',
  },
  {
    name: 'matchOrder',
    question: 'Which identifier decides when several products match?',
    values: 'external_id, barcode, sku, mpn, asin; any other order',
  },
  {
    name: 'patchVariants',
    question: 'What does `variants` in a PATCH or a matching POST do to the set?',
    values: 'merge; replace',
  },
  {
    name: 'patchObjects',
    question: 'What does a PATCH or a matching POST do to open_attributes and metadata?',
    values: 'replace; merge: key by key',
  },
  {
    name: 'patchLocale',
    question: 'Do PUT and PATCH honour `locale`?',
    values: 'honoured; ignored: the default locale is written and answered',
  },
  {
    name: 'variantsPath',
    question: 'Which methods does the variants path answer?',
    values: 'read-write: GET and POST; read-only: POST answers 405',
  },
  {
    name: 'clearing',
    question: 'What clears a field?',
    values:
      'both: null and empty; null: an empty text is refused; blank: null is refused; ignored-null: null changes nothing, empty clears',
  },
  {
    name: 'missingLocale',
    question: 'What does GET answer in a locale without text?',
    values:
      'default: the text of the default locale; empty: null texts; not-found: 404, in a listing null texts',
  },
  {
    name: 'tasks',
    question: 'Can background tasks be read?',
    values:
      'readable; forbidden: 403; not-found: 404; unnamed: 404, and generation and deliveries name no task id',
  },
  {
    name: 'identifiers',
    question: 'Are identifiers and external_id stored as they are sent?',
    values: 'exact; normalised: without blanks around them, in lower case',
  },
  {
    name: 'deletion',
    question: 'Does DELETE /products/{id}/ exist?',
    values: 'allowed; absent: 405',
  },
];
