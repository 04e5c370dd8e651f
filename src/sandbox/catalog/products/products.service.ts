import { Injectable } from '@nestjs/common';
import { SandboxDatabase, type Queryable } from '../database.js';
import { FieldValidationError, notFound } from '../http/errors.js';
import type { PageRequest } from '../http/pages.js';
import { SandboxSettings } from '../settings.js';
import { TaskStore } from '../tasks/task-store.js';
import { listProducts, type ProductFilters } from './product-list.js';
import { selectProductTree, selectProducts, type LocaleChoice } from './product-rows.js';
import { ProductWriter, type WriteMode } from './product-writer.js';
import type { ProductBody, ProductView } from './product.schemas.js';

/** The outcomes of POST /products/ (docs/catalog-rules.md, CREATE-14). */
export type UpsertOutcome =
  | { readonly kind: 'matched' | 'created'; readonly product: ProductView }
  | { readonly kind: 'accepted'; readonly taskId: number };

/** Ends a transaction that was only run to see whether it could be. */
class Rehearsed extends Error {}

@Injectable()
export class ProductsService {
  constructor(
    private readonly database: SandboxDatabase,
    private readonly settings: SandboxSettings,
    private readonly tasks: TaskStore,
  ) {}

  /** docs/catalog-rules.md#post-products. */
  async upsert(body: ProductBody, locale: string): Promise<UpsertOutcome> {
    const found = await this.database.transaction(async (tx) => {
      const id = await ProductWriter.match(tx, this.settings, body);
      if (id !== undefined)
        return { kind: 'matched' as const, product: await this.write(tx, id, body, 'named', locale) };
      if ((body.variants ?? []).length > 0) return undefined;
      const writer = this.writer(tx, locale);
      const created = await writer.create(body, null);
      await writer.refuseConflicts();
      return { kind: 'created' as const, product: await this.tree(tx, created, locale) };
    });
    if (found !== undefined) return found;
    await this.rehearse(body, locale);
    const taskId = await this.tasks.add(this.database, 'create_model', { locale, body });
    return { kind: 'accepted', taskId };
  }

  /** The background part of POST /products/: the product with its variants, matched or created. Returns its id. */
  async upsertNow(
    tx: Queryable,
    body: ProductBody,
    locale: string,
  ): Promise<{ id: number; created: boolean }> {
    const match = await ProductWriter.match(tx, this.settings, body);
    const writer = this.writer(tx, locale);
    if (match !== undefined) await writer.update(match, body, 'named');
    const id = match ?? (await writer.create(body, null));
    await writer.refuseConflicts();
    return { id, created: match === undefined };
  }

  async list(
    filters: ProductFilters,
    locale: string,
    page: PageRequest,
  ): Promise<{ readonly count: number; readonly results: ProductView[] }> {
    return listProducts(this.database, this.choice(locale), filters, page);
  }

  async get(id: string, locale: string): Promise<ProductView> {
    if (this.settings.readings.missingLocale === 'not-found') await this.requireText(productId(id), locale);
    return this.tree(this.database, productId(id), locale);
  }

  /** PUT (`all`) and PATCH (`named`). */
  async replaceOrUpdate(
    id: string,
    body: ProductBody,
    mode: WriteMode,
    locale: string,
  ): Promise<ProductView> {
    return this.database.transaction(async (tx) => this.write(tx, productId(id), body, mode, locale));
  }

  async delete(id: string): Promise<void> {
    const { rowCount } = await this.database.query('DELETE FROM product WHERE id = $1', [productId(id)]);
    if (rowCount === 0) throw notFound();
  }

  async listVariants(
    id: string,
    locale: string,
    page: PageRequest,
  ): Promise<{ readonly count: number; readonly results: ProductView[] }> {
    const parentId = productId(id);
    const { rows } = await this.database.query<{ count: number }>(
      `SELECT (SELECT count(*)::integer FROM product WHERE parent_id = p.id) AS count FROM product p WHERE p.id = $1`,
      [parentId],
    );
    if (rows[0] === undefined) throw notFound();
    const results = await selectProducts(
      this.database,
      this.choice(locale),
      `WHERE p.parent_id = $3 ORDER BY p.id LIMIT ${page.size} OFFSET ${page.offset}`,
      [parentId],
    );
    return { count: rows[0].count, results };
  }

  async upsertVariant(
    id: string,
    body: ProductBody,
    locale: string,
  ): Promise<{ readonly created: boolean; readonly product: ProductView }> {
    const parentId = productId(id);
    return this.database.transaction(async (tx) => {
      await lockProduct(tx, parentId);
      const writer = this.writer(tx, locale);
      const variant = await writer.upsertVariant(parentId, body);
      await writer.refuseConflicts();
      return { created: variant.created, product: await this.tree(tx, variant.id, locale) };
    });
  }

  private async write(
    tx: Queryable,
    id: number,
    body: ProductBody,
    mode: WriteMode,
    locale: string,
  ): Promise<ProductView> {
    await lockProduct(tx, id);
    const writer = this.writer(tx, locale);
    await writer.update(id, body, mode);
    await writer.refuseConflicts();
    return this.tree(tx, id, locale);
  }

  /** Carries the creation out and takes it back, so that what can be refused at once is not left to the background. */
  private async rehearse(body: ProductBody, locale: string): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        await this.upsertNow(tx, body, locale);
        throw new Rehearsed();
      });
    } catch (error) {
      if (!(error instanceof Rehearsed)) throw error;
    }
  }

  private writer(tx: Queryable, locale: string): ProductWriter {
    return new ProductWriter(tx, locale, this.settings.clock(), this.settings.readings);
  }

  private async tree(db: Queryable, id: number, locale: string): Promise<ProductView> {
    const product = await selectProductTree(db, this.choice(locale), id);
    if (product === undefined) throw notFound();
    return product;
  }

  private choice(locale: string): LocaleChoice {
    const { readings, defaultLocale } = this.settings;
    return { locale, fallback: readings.missingLocale === 'default' ? defaultLocale : null };
  }

  /** Throws 404 where a locale other than the default has no text of the product. */
  private async requireText(id: number, locale: string): Promise<void> {
    if (locale === this.settings.defaultLocale) return;
    const { rowCount } = await this.database.query(
      'SELECT 1 FROM product_text WHERE product_id = $1 AND locale = $2',
      [id, locale],
    );
    if (rowCount === 0) throw notFound();
  }
}

/** The id of a path is a string (docs/catalog-rules.md#product); one that cannot be an id names nothing. */
export function productId(id: string): number {
  if (!/^\d{1,9}$/.test(id)) throw notFound();
  return Number(id);
}

async function lockProduct(tx: Queryable, id: number): Promise<void> {
  // SQL: the row lock lasts until the transaction ends.
  const { rowCount } = await tx.query('SELECT id FROM product WHERE id = $1 FOR UPDATE', [id]);
  if (rowCount === 0) throw notFound();
}

/** The ids among `ids` that name no product, as one field error of `field`. */
export async function refuseUnknownProducts(
  db: Queryable,
  field: string,
  ids: readonly number[],
): Promise<void> {
  const { rows } = await db.query<{ id: number }>(
    'SELECT id FROM unnest($1::integer[]) AS asked(id) WHERE NOT EXISTS (SELECT 1 FROM product p WHERE p.id = asked.id)',
    [ids],
  );
  if (rows.length > 0) {
    throw new FieldValidationError({
      [field]: [`No such product: ${rows.map((row) => row.id).join(', ')}.`],
    });
  }
}
