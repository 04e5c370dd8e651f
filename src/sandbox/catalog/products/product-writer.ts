import { violatedUniqueConstraint, type Queryable } from '../database.js';
import { FieldValidationError } from '../http/errors.js';
import { ensureCategory } from './categories.js';
import {
  MATCH_FIELDS,
  UNIQUE_FIELDS,
  identifierConflicts,
  identifierValue,
  lockIdentifiers,
  type MatchField,
} from './identifiers.js';
import type { CatalogReadings } from '../readings.js';
import type { SandboxSettings } from '../settings.js';
import type { FreeForm, ProductBody } from './product.schemas.js';

/** `named` changes what the body names; `all` empties what it leaves out. */
export type WriteMode = 'named' | 'all';

type Identifiers = Readonly<Record<MatchField, string | null>>;
type Existing = { readonly id: number } & Identifiers;

const TEXT_FIELDS = ['name', 'description', 'html_description', 'open_attributes'] as const;

/**
 * Writes products and their variants inside a transaction that the caller owns. Nothing here commits, and every refusal is
 * thrown, so that a request is carried out whole or not at all.
 */
export class ProductWriter {
  /** id to dotted path in the request, of all that was written: field errors are named by it. */
  private readonly written = new Map<number, string>();

  constructor(
    private readonly tx: Queryable,
    private readonly locale: string,
    private readonly now: Date,
    private readonly readings: CatalogReadings,
  ) {}

  /**
   * The matching of docs/catalog-rules.md#post-products: the product (or variant, where the reading says so) that has one of the
   * body's identifiers. Where several do, `matchOrder` decides, and then the lower id.
   */
  static async match(
    tx: Queryable,
    { schema, readings }: Pick<SandboxSettings, 'schema' | 'readings'>,
    body: ProductBody,
  ): Promise<number | undefined> {
    await lockIdentifiers(tx, schema, body);
    const values = readings.matchOrder.map((field) => identifierValue(body, field));
    const conditions = readings.matchOrder.map((field, index) => `${field} = $${index + 1}`);
    const rank = conditions.map((condition, index) => `WHEN ${condition} THEN ${index}`).join(' ');
    const level = readings.postMatchesVariants ? 'true' : 'parent_id IS NULL';
    const { rows } = await tx.query<{ id: number }>(
      `SELECT id FROM product WHERE ${level} AND (${conditions.join(' OR ')}) ORDER BY CASE ${rank} END, id LIMIT 1`,
      values,
    );
    return rows[0]?.id;
  }

  /** A new product, or a new variant of `parentId`. */
  async create(body: ProductBody, parentId: number | null, path = ''): Promise<number> {
    const { rows } = await this.tx.query<{ id: number }>(
      'INSERT INTO product (parent_id, created_at) VALUES ($1, $2) RETURNING id',
      [parentId, this.now],
    );
    const id = rows[0]?.id;
    if (id === undefined) throw new Error('The product was not stored');
    await this.update(id, body, 'named', path);
    return id;
  }

  async update(id: number, body: ProductBody, mode: WriteMode, path = ''): Promise<void> {
    this.written.set(id, path);
    await this.writeColumns(id, body, mode);
    await this.writeTexts(id, body, mode);
    if (body.variants !== undefined) await this.writeVariants(id, body.variants ?? [], mode, path);
  }

  /** Adds a variant to a product, or updates the one of its variants that the body matches. */
  async upsertVariant(
    parentId: number,
    body: ProductBody,
  ): Promise<{ readonly id: number; readonly created: boolean }> {
    const match = findVariant(await this.variantsOf(parentId), body);
    if (match !== undefined) {
      await this.update(match.id, body, 'named');
      return { id: match.id, created: false };
    }
    const id = await this.create(body, parentId);
    await this.markAsModel(parentId);
    return { id, created: true };
  }

  /** To be called last: throws the field errors of every identifier that two products would bear. */
  async refuseConflicts(): Promise<void> {
    const conflicts = await identifierConflicts(this.tx, this.written);
    if (Object.keys(conflicts).length > 0) throw new FieldValidationError(conflicts);
    try {
      await this.tx.query('SET CONSTRAINTS ALL IMMEDIATE');
    } catch (error) {
      // Another request was faster, and its value became visible only now.
      const constraint = violatedUniqueConstraint(error);
      const field = UNIQUE_FIELDS.find((name) => constraint === `product_${name}_key`);
      if (field === undefined) throw error;
      throw new FieldValidationError({ [field]: [`A product with this ${field} already exists.`] });
    }
  }

  private async writeColumns(id: number, body: ProductBody, mode: WriteMode): Promise<void> {
    const columns = new Map<string, unknown>();
    for (const field of MATCH_FIELDS) {
      if (isWritten(body, field, mode)) columns.set(field, identifierValue(body, field));
    }
    for (const field of ['brand', 'url', 'category'] as const) {
      if (isWritten(body, field, mode)) columns.set(field, body[field] ?? null);
    }
    if (columns.has('category'))
      columns.set('category_id', await ensureCategory(this.tx, body.category ?? null));
    if (isWritten(body, 'crawl_configuration', mode)) {
      columns.set(
        'crawl_configuration',
        body.crawl_configuration ? JSON.stringify(body.crawl_configuration) : null,
      );
    }
    if (isWritten(body, 'images', mode)) columns.set('images', JSON.stringify(body.images ?? []));
    if (isWritten(body, 'metadata', mode))
      columns.set('metadata', JSON.stringify(await this.mergedMetadata(id, body, mode)));
    if (isWritten(body, 'product_lists', mode))
      columns.set('product_lists', [...new Set(body.product_lists)]);
    if (isWritten(body, 'tags_to_update', mode)) columns.set('tags', [...new Set(body.tags_to_update)]);
    if (columns.size === 0) return;
    const assignments = [...columns.keys()].map((column, index) => `${column} = $${index + 2}`);
    await this.tx.query(`UPDATE product SET ${assignments.join(', ')} WHERE id = $1`, [
      id,
      ...columns.values(),
    ]);
  }

  private async writeTexts(id: number, body: ProductBody, mode: WriteMode): Promise<void> {
    const columns = new Map<string, unknown>();
    for (const field of TEXT_FIELDS) {
      if (!isWritten(body, field, mode)) continue;
      const value =
        field === 'open_attributes' ? await this.mergedAttributes(id, body, mode) : (body[field] ?? null);
      columns.set(field, field === 'open_attributes' && value !== null ? JSON.stringify(value) : value);
      if (field !== 'open_attributes') columns.set(`generated_${field}`, null);
    }
    if (columns.size === 0) return;
    const names = [...columns.keys()];
    await this.tx.query(
      `INSERT INTO product_text (product_id, locale, ${names.join(', ')})
       VALUES ($1, $2, ${names.map((_, index) => `$${index + 3}`).join(', ')})
       ON CONFLICT (product_id, locale) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      [id, this.locale, ...columns.values()],
    );
  }

  private async writeVariants(
    parentId: number,
    bodies: readonly ProductBody[],
    mode: WriteMode,
    path: string,
  ): Promise<void> {
    const existing = await this.variantsOf(parentId);
    const kept = new Map<number, string>();
    const additions = new Map<string, ProductBody>();
    for (const [index, body] of bodies.entries()) {
      const variantPath = `${path === '' ? '' : `${path}.`}variants.${index}`;
      const match = isNameless(body) ? nextNameless(existing, kept) : findVariant(existing, body);
      const other = match === undefined ? sameAddition(additions, body) : kept.get(match.id);
      if (other !== undefined)
        throw new FieldValidationError({ [variantPath]: [`Names the same variant as ${other}.`] });
      if (match === undefined) {
        additions.set(variantPath, body);
      } else {
        kept.set(match.id, variantPath);
        await this.update(match.id, body, mode, variantPath);
      }
    }
    if (mode === 'all' || this.readings.patchVariants === 'replace') {
      await this.tx.query('DELETE FROM product WHERE parent_id = $1 AND NOT id = ANY($2)', [
        parentId,
        [...kept.keys()],
      ]);
    }
    for (const [variantPath, body] of additions) await this.create(body, parentId, variantPath);
    if (bodies.length > 0) await this.markAsModel(parentId);
  }

  private async mergedMetadata(id: number, body: ProductBody, mode: WriteMode): Promise<FreeForm> {
    const { rows } = await this.tx.query<{ present: FreeForm | null }>(
      'SELECT metadata AS present FROM product WHERE id = $1',
      [id],
    );
    return this.merges(mode) ? { ...rows[0]?.present, ...body.metadata } : (body.metadata ?? {});
  }

  private async mergedAttributes(id: number, body: ProductBody, mode: WriteMode): Promise<FreeForm | null> {
    const named = body.open_attributes ?? null;
    if (named === null || !this.merges(mode)) return named;
    const { rows } = await this.tx.query<{ present: FreeForm | null }>(
      'SELECT open_attributes AS present FROM product_text WHERE product_id = $1 AND locale = $2',
      [id, this.locale],
    );
    return { ...rows[0]?.present, ...named };
  }

  private merges(mode: WriteMode): boolean {
    return mode === 'named' && this.readings.patchObjects === 'merge';
  }

  private async variantsOf(parentId: number): Promise<Existing[]> {
    const { rows } = await this.tx.query<Existing>(
      `SELECT id, ${MATCH_FIELDS.join(', ')} FROM product WHERE parent_id = $1 ORDER BY id FOR UPDATE`,
      [parentId],
    );
    return rows;
  }

  private async markAsModel(id: number): Promise<void> {
    await this.tx.query('UPDATE product SET is_product_model = true WHERE id = $1', [id]);
  }
}

function isWritten(body: ProductBody, field: keyof ProductBody, mode: WriteMode): boolean {
  return mode === 'all' || body[field] !== undefined;
}

/** By id where the body names one, else by the first of MATCH_FIELDS that agrees. */
function findVariant(existing: readonly Existing[], body: ProductBody): Existing | undefined {
  return existing.find((variant) => variant.id === body.id) ?? firstAgreeing(existing, body);
}

function firstAgreeing<Candidate extends Identifiers>(
  candidates: readonly Candidate[],
  body: ProductBody,
): Candidate | undefined {
  for (const field of MATCH_FIELDS) {
    const value = identifierValue(body, field);
    const match = value === null ? undefined : candidates.find((candidate) => candidate[field] === value);
    if (match !== undefined) return match;
  }
  return undefined;
}

/** Path of an earlier new variant of the same request that has one of the body's identifiers. */
function sameAddition(additions: ReadonlyMap<string, ProductBody>, body: ProductBody): string | undefined {
  const earlier = [...additions].map(([path, addition]) => ({ path, ...identifiersOf(addition) }));
  return firstAgreeing(earlier, body)?.path;
}

function identifiersOf(body: ProductBody): Identifiers {
  return {
    external_id: identifierValue(body, 'external_id'),
    barcode: identifierValue(body, 'barcode'),
    sku: identifierValue(body, 'sku'),
    mpn: identifierValue(body, 'mpn'),
    asin: identifierValue(body, 'asin'),
  };
}

function isNameless(body: ProductBody): boolean {
  return (body.id ?? null) === null && MATCH_FIELDS.every((field) => identifierValue(body, field) === null);
}

/** Variants without an identifier are matched in their order, so that a request which has some can be repeated. */
function nextNameless(
  existing: readonly Existing[],
  taken: ReadonlyMap<number, string>,
): Existing | undefined {
  return existing.find(
    (variant) => !taken.has(variant.id) && MATCH_FIELDS.every((field) => variant[field] === null),
  );
}
