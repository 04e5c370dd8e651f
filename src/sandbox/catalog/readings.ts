import { z } from 'zod';
import { FieldValidationError } from './http/errors.js';
import { MATCH_FIELDS } from './products/identifiers.js';

/**
 * How this sandbox reads what the interface specification leaves open. Each switch is one question; a client is correct only
 * when it holds under every answer. The first value is the default.
 */
export const READINGS = z.strictObject({
  postMatchesVariants: z
    .boolean()
    .default(true)
    .describe('Does POST match variants? true; false: only what a listing shows'),
  matchOrder: z
    .array(z.enum(MATCH_FIELDS))
    .refine((order) => order.toSorted().join() === [...MATCH_FIELDS].sort().join(), {
      error: `matchOrder must name each of ${MATCH_FIELDS.join(', ')} once`,
    })
    .readonly()
    .default(MATCH_FIELDS)
    .describe(
      `Which identifier decides when several products match? ${MATCH_FIELDS.join(',')}; any other order`,
    ),
  patchVariants: z
    .enum(['merge', 'replace'])
    .default('merge')
    .describe('What do `variants` in a PATCH or a matching POST do to the set? merge; replace'),
  patchObjects: z
    .enum(['replace', 'merge'])
    .default('replace')
    .describe(
      'What does a PATCH or a matching POST do to open_attributes and metadata? replace; merge: key by key',
    ),
  patchLocale: z
    .enum(['honoured', 'ignored'])
    .default('honoured')
    .describe(
      'Do PUT and PATCH honour `locale`? honoured; ignored: they write and answer the default locale',
    ),
  variantsPath: z
    .enum(['read-write', 'read-only'])
    .default('read-write')
    .describe('Which methods does the variants path take? read-write: GET and POST; read-only: POST is 405'),
  clearing: z
    .enum(['both', 'null', 'blank', 'ignored-null'])
    .default('both')
    .describe(
      'What clears a field? both: null and an empty text; null: an empty text is refused; blank: null is refused, and an empty text, list or object clears; ignored-null: as blank, but null changes nothing',
    ),
  missingLocale: z
    .enum(['default', 'empty', 'not-found'])
    .default('default')
    .describe(
      'What does GET answer in a locale without texts? default: those of the default locale; empty: null texts; not-found: 404, in a listing null texts',
    ),
  tasks: z
    .enum(['readable', 'forbidden', 'not-found', 'unnamed'])
    .default('readable')
    .describe(
      'Can background tasks be read? readable; forbidden: 403; not-found: 404; unnamed: 404, and no answer or delivery names a task (`task.id` is an empty text)',
    ),
  identifiers: z
    .enum(['exact', 'normalised'])
    .default('exact')
    .describe(
      'Are the five fields that a POST matches by stored as they are sent? exact; normalised: without blanks around them, in lower case, and none where nothing is left',
    ),
  deletion: z
    .enum(['allowed', 'absent'])
    .default('allowed')
    .describe('Does DELETE /products/{id}/ exist? allowed; absent: 405'),
});
export type CatalogReadings = z.output<typeof READINGS>;

/**
 * Readings from `name=value` texts, as the command line gives them; the fields of `matchOrder` are separated by commas.
 * Throws a ZodError when a name or a value is unknown.
 */
export function readingsOfTexts(texts: readonly string[]): CatalogReadings {
  const pairs = texts.map((text): [string, unknown] => {
    const [name = '', ...rest] = text.split('=');
    const value = rest.join('=');
    if (name === 'matchOrder') return [name, value.split(',')];
    return [name, value === 'true' || value === 'false' ? value === 'true' : value];
  });
  return READINGS.parse(Object.fromEntries(pairs));
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
