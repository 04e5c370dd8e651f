import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { BACKOFF } from '../../domain/backoff.js';
import { productExternalId } from '../../domain/external-id.js';
import type { ReadPart, SourceProduct } from '../../domain/store-port.js';
import { CodedError, isCoded } from '../../domain/errors.js';
import { type WooClient, WooError } from './client.js';
import { type MapScope, toSnapshot } from './mapper.js';
import { type Attempted, walk } from './pages.js';
import {
  type Entry,
  entrySchema,
  PRODUCT_FIELDS,
  productSchema,
  readEntry,
  VARIATION_FIELDS,
  variationEntry,
  variationSchema,
  type WooVariation,
} from './schemas.js';
import type { WooShop } from './shop.js';

const PRODUCTS = 'wc/v3/products';
/** Entries that one call may name. */
const AT_ONCE = 100;
/** A shop that answers nothing for so long ends a read of all products, which would begin again from its first page. */
const AWAY_MOST_MS = 120_000;
/** A page that fails although the shop answers again is at fault itself. */
const TRIES = 3;
const EDIT = { context: 'edit', _fields: PRODUCT_FIELDS };

/** Reads products by pages. */
export class WooReader {
  /** False once the shop answered that it has no route for the variations of all products, which is new in 10.3. */
  #hasAllVariations = true;
  #weightUnit: Promise<string | null> | undefined;
  /** Why the shop did not show a product, or its variations. */
  readonly #unread = new WeakMap<Entry, CodedError>();

  constructor(
    private readonly client: WooClient,
    private readonly shop: WooShop,
    private readonly scope: Pick<MapScope, 'metaNames' | 'variantMetafields'>,
    private readonly awayMostMs = AWAY_MOST_MS,
  ) {}

  /**
   * All products, and then their ids once more: pages shift and totals prove nothing, but two passes that agree do. What is in one of them
   * only is asked for by id.
   */
  async *whole(signal?: AbortSignal): AsyncGenerator<ReadPart> {
    const seen = new Set<number>();
    const list = { path: PRODUCTS, query: EDIT };
    const patiently: Attempted = (read) => this.#patiently(read, signal);
    for await (const { rows } of walk(this.client, list, entrySchema, this.#shown, patiently)) {
      signal?.throwIfAborted();
      for (const { id } of rows) seen.add(id);
      if (rows.length > 0) yield { products: await patiently(() => this.#sources(rows)) };
    }
    const listed = new Set<number>();
    let total: number | null = null;
    const ids = { path: PRODUCTS, query: { _fields: 'id' } };
    for await (const page of walk(this.client, ids, entrySchema, undefined, patiently)) {
      signal?.throwIfAborted();
      ({ total } = page);
      for (const { id } of page.rows) listed.add(id);
    }
    const missed = [...listed].filter((id) => !seen.has(id)).map(String);
    if (missed.length > 0)
      yield { products: (await patiently(() => this.byId(missed))).filter((product) => product !== null) };
    yield total !== null && listed.size >= total
      ? { complete: true }
      : {
          complete: false,
          why:
            total === null
              ? 'the shop does not say how many products it has'
              : `the shop counts ${String(total)} products, ${String(listed.size)} were listed: the key may not read all of them`,
        };
  }

  /** Reads again what the shop did not answer, once it answers. Throws what it met when that takes too long. */
  async #patiently<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await read();
      } catch (error) {
        if (!isAway(error) || attempt === TRIES) throw error;
        await this.#untilItAnswers(signal);
      }
  }

  async #untilItAnswers(signal?: AbortSignal): Promise<void> {
    const until = performance.now() + this.awayMostMs;
    for (let attempt = 1; ; attempt += 1)
      try {
        await this.count();
        return;
      } catch (error) {
        if (!isAway(error)) throw error;
        const waitMs = BACKOFF.storeCall.delayMs(attempt, Math.random, error.retryAfterMs);
        if (performance.now() + waitMs > until) throw error;
        await delay(waitMs, undefined, signal === undefined ? {} : { signal });
      }
  }

  /** By the shop's clock. `since` itself is out of the shop's filter, and the seconds of both sides are whole. */
  async *changed(since: Date): AsyncGenerator<readonly SourceProduct[]> {
    const { behindMs } = await this.shop.facts();
    const after = new Date(since.getTime() - behindMs - 1000)
      .toISOString()
      .slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
    // The time has no zone: with one, the shop would add its own offset.
    const query = { ...EDIT, modified_after: after, dates_are_gmt: 'true' };
    for await (const { rows } of walk(this.client, { path: PRODUCTS, query }, entrySchema, this.#shown))
      if (rows.length > 0) yield await this.#sources(rows);
  }

  async byId(storeIds: readonly string[]): Promise<(SourceProduct | null)[]> {
    const found = new Map<string, SourceProduct>();
    for (let at = 0; at < storeIds.length; at += AT_ONCE) {
      const some = storeIds.slice(at, at + AT_ONCE);
      const data = await this.#shown(some);
      const shown = new Set(data.map(({ id }) => String(id)));
      for (const id of some.filter((each) => !shown.has(each))) {
        const entry = await this.#unlisted(id);
        if (entry !== null) data.push(entry);
      }
      for (const source of await this.#sources(data)) found.set(source.storeId, source);
    }
    return storeIds.map((id) => found.get(id) ?? null);
  }

  /**
   * The products that the shop shows of these, in the order of their ids. Where it fails to answer, they are read in halves, so that one
   * that breaks the answer is put off by itself.
   */
  readonly #shown = async (ids: readonly string[]): Promise<Entry[]> => {
    const order = { orderby: 'id', order: 'asc', per_page: String(AT_ONCE) };
    const query = { ...EDIT, ...order, include: ids.join(',') };
    try {
      const { data, total } = await this.client.run({ path: PRODUCTS, query }, entrySchema.array());
      // The total counts products that the key may not read, which are not gone.
      if (total === null || total <= data.length) return data;
      throw new CodedError(
        'transient',
        `the shop has ${String(total)} of these products and shows ${String(data.length)}: the key may not read all of them`,
        { side: 'store' },
      );
    } catch (error) {
      if (!isCoded(error, 'transient')) throw error;
      const half = Math.ceil(ids.length / 2);
      if (ids.length > 1)
        return [...(await this.#shown(ids.slice(0, half))), ...(await this.#shown(ids.slice(half)))];
      const entry: Entry = { id: Number(ids[0]) };
      await this.#putOff(entry, error);
      return [entry];
    }
  };

  /** Lets a product be owed for an error that no other request meets. Throws where the shop answers nothing else either. */
  async #putOff(product: Entry, error: CodedError): Promise<void> {
    await this.count();
    this.#unread.set(product, error);
  }

  /** A product that no list shows: a plugin has given it a status of its own. Null for one that is gone or in the trash. */
  async #unlisted(id: string): Promise<Entry | null> {
    try {
      const path = `${PRODUCTS}/${encodeURIComponent(id)}`;
      const { data } = await this.client.run({ path, query: EDIT }, entrySchema);
      return data['status'] === 'trash' || data['type'] === 'variation' ? null : data;
    } catch (error) {
      if (isCoded(error, 'not_found')) return null;
      if (!isCoded(error, 'transient', 'auth')) throw error;
      const entry: Entry = { id: Number(id) };
      await this.#putOff(entry, error);
      return entry;
    }
  }

  async count(): Promise<number | null> {
    const call = { path: PRODUCTS, query: { _fields: 'id', per_page: '1' } };
    return (await this.client.run(call, z.unknown())).total;
  }

  async #sources(products: readonly Entry[]): Promise<SourceProduct[]> {
    const { identity, plugins } = await this.shop.facts();
    const categories = await this.shop.categoryPaths(products.flatMap(categoriesIn));
    const weightUnit = await this.#unit();
    const variations = await this.#variationsOf(products.filter((product) => product['type'] === 'variable'));
    const scope: MapScope = { ...this.scope, identity, plugins, categories, weightUnit };
    return products.map((product) => ({
      externalId: productExternalId(identity, String(product.id)),
      storeId: String(product.id),
      snapshot: () => {
        const failure = this.#unread.get(product);
        if (failure !== undefined) throw failure;
        const own = (variations.get(product.id) ?? []).map((row) =>
          readEntry(variationSchema, row, 'variation'),
        );
        const read = readEntry(productSchema, product, 'product');
        const missing = read.variations.filter((id) => own.every((variation) => variation.id !== id));
        if (missing.length > 0)
          throw new CodedError(
            'transient',
            `the shop has product ${String(read.id)} and does not list its variations ${missing.slice(0, 10).join(', ')}`,
            { side: 'store' },
          );
        return toSnapshot(read, own.sort(byPlace), scope);
      },
    }));
  }

  async #variationsOf(products: readonly Entry[]): Promise<ReadonlyMap<number, readonly Entry[]>> {
    const found = new Map<number, Entry[]>();
    const take = (parent: number, row: Entry): void => {
      found.set(parent, [...(found.get(parent) ?? []), row]);
    };
    const query = { context: 'edit', _fields: VARIATION_FIELDS };
    if (products.length > 0 && this.#hasAllVariations)
      try {
        const parents = products.map(({ id }) => id).join(',');
        const all = { path: 'wc/v3/variations', query: { ...query, parent: parents } };
        for await (const { rows } of walk(this.client, all, variationEntry))
          for (const row of rows) take(row.parent_id, row);
        return found;
      } catch (error) {
        if (error instanceof WooError && error.shopCode === 'rest_no_route') this.#hasAllVariations = false;
        else if (!isCoded(error, 'transient')) throw error;
      }
    found.clear();
    for (const product of products)
      try {
        for await (const { rows } of this.#variationsBelow(product.id, query))
          for (const row of rows) take(product.id, row);
      } catch (error) {
        if (!isCoded(error, 'transient')) throw error;
        await this.#putOff(product, error);
      }
    return found;
  }

  /** The variations of a product; none when it has been deleted. */
  async *#variationsBelow(id: number, query: Record<string, string>) {
    try {
      yield* walk(this.client, { path: `${PRODUCTS}/${String(id)}/variations`, query }, entrySchema);
    } catch (error) {
      if (!isCoded(error, 'not_found')) throw error;
    }
  }

  /** Null where the shop does not tell it, for example to a key without the right to its settings. */
  #unit(): Promise<string | null> {
    const call = { path: 'wc/v3/settings/products/woocommerce_weight_unit' };
    this.#weightUnit ??= this.client.run(call, z.object({ value: z.string() })).then(
      ({ data }) => data.value,
      (error: unknown) => {
        if (isCoded(error, 'unavailable', 'auth', 'invalid')) return null;
        this.#weightUnit = undefined;
        throw error;
      },
    );
    return this.#weightUnit;
  }
}

function isAway(error: unknown): error is CodedError {
  return isCoded(error, 'transient', 'throttled');
}

function categoriesIn(product: Entry): number[] {
  const read = productSchema.shape.categories.safeParse(product['categories']);
  return read.success ? read.data.map(({ id }) => id) : [];
}

/** In the order that the merchant gave them. */
function byPlace(one: WooVariation, other: WooVariation): number {
  return one.menu_order - other.menu_order || one.id - other.id;
}
