import { describe, expect, it } from '@jest/globals';
import { productLines } from '../../test/bench/products.js';
import { SILENT_LOGGER } from '../runtime/logger.js';
import { storeSchema } from '../config/store-schema.js';
import type { LinkBaseRow } from '../persistence/plan-rows.js';
import { sourceFingerprint, sourceRules } from '../planner/source.js';
import { ExportedProduct } from '../store/shopify/exported-product.js';
import { type FingerprintShare, FingerprintThread, SLOT_BYTES } from './fingerprint-thread.js';
import { Findings, planMet } from './planned-batch.js';
import { NOTHING_OFFERED, type OfferedProducts, RunFingerprints } from './run-fingerprints.js';

const SHOP = 'demo.myshopify.com';
const SCOPE = { shop: SHOP, variantMetafields: [], locales: [] };
const settings = storeSchema.parse({ workspace: 'default', shop: SHOP, auth: { accessToken: 'token' } });
const store = {
  settings,
  rules: sourceRules(SHOP, settings.mapping, settings.writeBack),
  generatedFields: new Set<never>(),
};

/** A thread that works at once in this one, on the shares that are not taken back. */
class FakeThread extends FingerprintThread {
  readonly taken: FingerprintShare[] = [];
  /** Shares that it has begun before anybody can take them back. */
  begins = Infinity;
  users = 0;
  takenBack = 0;
  ready = true;

  override get isReady(): boolean {
    return this.ready;
  }

  constructor() {
    super(SILENT_LOGGER);
  }

  override enter(): void {
    this.users += 1;
  }

  override leave(): Promise<void> {
    this.users -= 1;
    return Promise.resolve();
  }

  override add(share: FingerprintShare): void {
    this.taken.push(share);
  }

  override takeBack(share: FingerprintShare): boolean {
    const isWaiting = this.taken.indexOf(share) >= this.begins;
    if (isWaiting) this.takenBack += 1;
    return isWaiting;
  }

  override answer(share: FingerprintShare): Promise<readonly (string | null)[]> {
    return Promise.resolve(
      share.products.map(({ storeId, unparsed }) => {
        const product = new ExportedProduct(storeId, Buffer.from(unparsed.bytes), [1], SCOPE);
        return sourceFingerprint(product.snapshot(), store.rules);
      }),
    );
  }
}

function productOf(id: number, bytes = Buffer.from(productLines(id).join('\n'))): ExportedProduct {
  return new ExportedProduct(`gid://shopify/Product/${String(id)}`, bytes, [1], SCOPE);
}

function linkOf(product: ExportedProduct, isPushed = true): LinkBaseRow {
  return {
    externalId: product.externalId,
    revision: '1',
    state: 'linked',
    catalogId: '7',
    sourceFingerprint: isPushed ? sourceFingerprint(product.snapshot(), store.rules) : 'of another source',
    written: null,
    withheld: [],
    creating: false,
    writing: false,
    goneFromCatalog: false,
  };
}

const productsFrom = (first: number, count: number): ExportedProduct[] =>
  Array.from({ length: count }, (_, index) => productOf(first + index));

function linksOf(
  products: readonly ExportedProduct[],
  isPushed: (index: number) => boolean = () => true,
): Map<string, LinkBaseRow | null> {
  return new Map(
    products.map((product, index) => [product.externalId, linkOf(product, isPushed(index))] as const),
  );
}

/** After so many products that the run had to parse. */
function afterMany(thread: FingerprintThread): RunFingerprints {
  const fingerprints = new RunFingerprints(thread, store);
  const many = productsFrom(1_000_000, 2_000);
  for (let from = 0; from < many.length; from += 500) {
    const batch = many.slice(from, from + 500);
    const moved = new Map(batch.map(({ externalId }) => [externalId, { ...LINK, externalId }] as const));
    fingerprints.offer(batch, moved);
  }
  return fingerprints;
}
const LINK = linkOf(productOf(1));

const idsOf = (thread: FakeThread): string[] =>
  thread.taken.flatMap(({ products }) => products.map(({ storeId }) => storeId));

async function drained(offered: OfferedProducts): Promise<{ unchanged: number; others: number }> {
  const count = { unchanged: 0, others: 0 };
  for await (const some of offered.found())
    for (const { unchanged } of some) count[unchanged ? 'unchanged' : 'others'] += 1;
  return count;
}

describe('a run', () => {
  it('uses the thread from its two thousandth product that has to be parsed, and leaves it at its end', async () => {
    const thread = new FakeThread();
    const fingerprints = new RunFingerprints(thread, store);
    const products = productsFrom(1, 500);
    const moved = linksOf(products);
    for (let batches = 1; batches < 4; batches++)
      expect(fingerprints.offer(products, moved)).toBe(NOTHING_OFFERED);
    expect(thread.users).toBe(0);
    expect(fingerprints.offer(products, moved).has(products[0]?.externalId ?? '')).toBe(true);
    expect(thread.users).toBe(1);
    await fingerprints.end();
    expect(thread.users).toBe(0);
  });

  it('parses by itself until the thread has started', () => {
    const thread = new FakeThread();
    thread.ready = false;
    const fingerprints = afterMany(thread);
    const products = productsFrom(1, 10);
    expect(fingerprints.offer(products, linksOf(products))).toBe(NOTHING_OFFERED);
    expect(thread.users).toBe(1);
    thread.ready = true;
    expect(fingerprints.offer(products, linksOf(products))).not.toBe(NOTHING_OFFERED);
  });

  it('leaves nothing it does not use where there is no thread', async () => {
    const fingerprints = new RunFingerprints(null, store);
    const products = productsFrom(1, 10);
    expect(fingerprints.offer(products, linksOf(products))).toBe(NOTHING_OFFERED);
    await fingerprints.end();
  });

  it('offers only products that may be unchanged, have bytes to parse and fit', () => {
    const thread = new FakeThread();
    const fingerprints = afterMany(thread);
    thread.taken.length = 0;
    const [same, fresh, writing, gone, back, parsed, known] = productsFrom(1, 7);
    if (!same || !fresh || !writing || !gone || !back || !parsed || !known) throw new Error('too few');
    const large = productOf(8, Buffer.alloc(SLOT_BYTES + 1));
    const { externalId, storeId, digest } = parsed;
    const batch = [
      ...[same, same, fresh, writing, gone, back, known, large],
      { externalId, storeId, digest, snapshot: () => parsed.snapshot() },
    ];
    const moved = new Map<string, LinkBaseRow | null>([
      [same.externalId, linkOf(same)],
      [fresh.externalId, null],
      [writing.externalId, { ...linkOf(writing), writing: true }],
      [gone.externalId, { ...linkOf(gone), goneFromCatalog: true }],
      [back.externalId, { ...linkOf(back), state: 'orphaned' }],
      [parsed.externalId, linkOf(parsed)],
      [large.externalId, { ...LINK, externalId: large.externalId }],
    ]);
    const offered = fingerprints.offer(batch, moved);
    expect(idsOf(thread)).toEqual([same.storeId]);
    expect(batch.filter((product) => offered.has(product.externalId))).toEqual([same, same]);
  });

  it('sends no more at once than fits', () => {
    const thread = new FakeThread();
    const fingerprints = afterMany(thread);
    thread.taken.length = 0;
    const bytes = Math.floor(SLOT_BYTES / 3);
    const products = Array.from({ length: 7 }, (_, index) => productOf(index + 1, Buffer.alloc(bytes)));
    const moved = products.map(({ externalId }) => [externalId, { ...LINK, externalId }] as const);
    fingerprints.offer(products, new Map(moved));
    expect(thread.taken.map((share) => share.products.length)).toEqual([3, 3, 1]);
  });

  it('that fails takes back what the thread has not begun', async () => {
    const thread = new FakeThread();
    const fingerprints = afterMany(thread);
    thread.taken.length = 0;
    thread.begins = 1;
    const products = productsFrom(1, 237);
    fingerprints.offer(products, linksOf(products));
    await fingerprints.end();
    expect([thread.taken.length, thread.takenBack]).toEqual([5, 4]);
  });

  it('no longer uses the thread when most products have changed', async () => {
    const thread = new FakeThread();
    const fingerprints = afterMany(thread);
    const products = productsFrom(1, 500);
    const moved = linksOf(products, (index) => index % 3 === 0);
    for (let batches = 0; batches < 2; batches++)
      expect(await drained(fingerprints.offer(products, moved))).toEqual({ unchanged: 167, others: 333 });
    expect(fingerprints.offer(products, moved)).toBe(NOTHING_OFFERED);
  });
});

describe('a batch that both threads parse', () => {
  it.each([0, 1, 3, Infinity])(
    'is planned as by one of them, where the other has begun %s shares',
    async (begins) => {
      const products = productsFrom(1, 237);
      const isPushed = (index: number): boolean => index % 10 !== 0;
      const moved = linksOf(products, isPushed);
      const fresh = products[5];
      if (fresh !== undefined) moved.set(fresh.externalId, null);
      const marks = new Map(products.map(({ externalId, digest }) => [externalId, digest]));
      const met = { met: products.length, moved };
      const readLinks = (ids: readonly string[]) =>
        Promise.resolve(new Map(ids.map((id) => [id, { ...LINK, ...moved.get(id), pushedFields: {} }])));
      const planned = async (offered: OfferedProducts) => {
        const findings = new Findings();
        const tally = { read: 0, seen: 0, unchanged: 0 };
        await planMet(store, { batch: products, marks, met, offered }, readLinks, findings, tally);
        const unchanged = findings.unchanged.toSorted((one, other) =>
          one.externalId < other.externalId ? -1 : 1,
        );
        return { tally, changes: findings.changes, putOff: findings.putOff, unchanged };
      };
      const thread = new FakeThread();
      const fingerprints = afterMany(thread);
      thread.taken.length = 0;
      thread.begins = begins;
      const byBoth = await planned(fingerprints.offer(products, moved));
      expect(thread.taken.length).toBeGreaterThan(3);
      expect(byBoth).toEqual(await planned(NOTHING_OFFERED));
      expect(byBoth.changes).toHaveLength(25);
    },
  );
});
