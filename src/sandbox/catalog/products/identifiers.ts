import type { Queryable } from '../database.js';
import type { ProductBody } from './product.schemas.js';

/** Unique over products and variants together (docs/catalog-rules.md#product). */
export const UNIQUE_FIELDS = ['barcode', 'sku', 'mpn', 'asin'] as const;
export type UniqueField = (typeof UNIQUE_FIELDS)[number];

/** In the order in which a match decides. external_id is first: it is the client's own name for the product. */
export const MATCH_FIELDS = ['external_id', ...UNIQUE_FIELDS] as const;
export type MatchField = (typeof MATCH_FIELDS)[number];

/** The value that is stored; null when the body leaves it out, empties it or gives blanks. */
export function identifierValue(body: ProductBody, field: MatchField): string | null {
  const value = body[field];
  return value === undefined || value === null || value.trim() === '' ? null : value;
}

/**
 * Serialises requests with the same identifier until this transaction ends. Without it two equal creations at once
 * would both find nothing to match.
 */
export async function lockIdentifiers(tx: Queryable, schema: string, body: ProductBody): Promise<void> {
  const keys = [...new Set(identifierKeys(body))].sort();
  if (keys.length === 0) return;
  await tx.query(
    `SELECT pg_advisory_xact_lock(hashtextextended($1 || key, 0)) FROM unnest($2::text[]) WITH ORDINALITY AS k(key, n) ORDER BY n`,
    [`${schema}:`, keys],
  );
}

function identifierKeys(body: ProductBody): string[] {
  const own = MATCH_FIELDS.flatMap((field) => {
    const value = identifierValue(body, field);
    return value === null ? [] : [`${field}:${value}`];
  });
  return [...own, ...(body.variants ?? []).flatMap(identifierKeys)];
}

/**
 * Of the products at `paths` (id to dotted path in the request, '' for the body itself): the fields whose value
 * another product has, too, as field errors. Runs after the write, so that values that move between variants are in
 * their final place.
 */
export async function identifierConflicts(
  tx: Queryable,
  paths: ReadonlyMap<number, string>,
): Promise<Record<string, string[]>> {
  const { rows } = await tx.query<{ id: number; field: UniqueField }>(
    UNIQUE_FIELDS.map(
      (field) =>
        `SELECT DISTINCT mine.id, '${field}' AS field FROM product mine
         JOIN product other ON other.${field} = mine.${field} AND other.id <> mine.id WHERE mine.id = ANY($1)`,
    ).join(' UNION ALL '),
    [[...paths.keys()]],
  );
  return Object.fromEntries(
    rows.map(({ id, field }) => {
      const path = paths.get(id) ?? '';
      return [path === '' ? field : `${path}.${field}`, [`A product with this ${field} already exists.`]];
    }),
  );
}
