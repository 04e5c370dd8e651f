import { readdirSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ProductSnapshot } from '../../domain/snapshot.js';
import {
  childOf,
  exportText,
  imageNode,
  metafieldNode,
  productNode,
  variantNode,
} from '../../../test/support/store/products.js';
import { removeLeftovers } from './leftovers.js';
import { collect, ScriptedStore, snapshots } from '../../../test/support/store/scripted-store.js';
import { failureOf } from '../../../test/support/failure-of.js';
import { SpilledExports } from '../../../test/support/store/spilled-exports.js';

type Node = Record<string, unknown>;

const store = ScriptedStore.forEachTest();
const spilled = new SpilledExports(store);

async function read(nodes: readonly Node[], limits = {}): Promise<ProductSnapshot[]> {
  store.answerWith(() => ({ text: exportText(nodes) }));
  const products = await spilled.read(spilled.completed(nodes), limits);
  return products.sort((one, other) => one.externalId.localeCompare(other.externalId));
}

const mediumOf = (variant: number, id: number): Node => ({
  id: `gid://shopify/MediaImage/${String(id)}`,
  __typename: 'MediaImage',
  __parentId: `gid://shopify/ProductVariant/${String(variant)}`,
});

/** A product with children of each kind, and a medium of its second variant. */
const family = (id: number): Node[] => [
  productNode(id),
  childOf(id, variantNode(id * 10 + 1)),
  childOf(id, variantNode(id * 10 + 4, { position: 2 })),
  childOf(id, imageNode(id * 10 + 2, `https://cdn.example.com/${String(id)}.jpg`)),
  childOf(id, metafieldNode(id * 10 + 3, 'material', 'Cotton')),
  mediumOf(id * 10 + 4, id * 10 + 2),
];
const FAMILIES = [1, 2, 3, 4].flatMap(family);

describe('the lines of an export', () => {
  it('may have any order: children before their parents, and products mixed', async () => {
    const expected = await read(FAMILIES);
    expect(expected[0]).toMatchObject({
      imageUrls: ['https://cdn.example.com/1.jpg'],
      metafields: [{ key: 'material', value: 'Cotton' }],
      variants: [{ imageUrls: [] }, { imageUrls: ['https://cdn.example.com/1.jpg'] }],
    });
    const orders = fc.shuffledSubarray(FAMILIES, { minLength: FAMILIES.length });
    await fc.assert(
      fc.asyncProperty(orders, fc.constantFrom(100, 1_000, 100_000), async (nodes, exportPartBytes) => {
        expect(await read(nodes, { exportPartBytes })).toEqual(expected);
      }),
      { numRuns: 40 },
    );
    expect(await read(FAMILIES.toReversed(), { exportPartBytes: 100 })).toEqual(expected);
  });

  it('may be long or short, one after the other', async () => {
    const lengths = [10, 40_000, 20, 20_000, 20_000, 100_000, 30];
    const nodes = lengths.map((length, index) =>
      productNode(index + 1, { descriptionHtml: 'x'.repeat(length) }),
    );
    for (const exportPartBytes of [100, 1_000_000]) {
      const products = await read(nodes, { exportPartBytes });
      expect(products.map(({ descriptionHtml }) => descriptionHtml?.length)).toEqual(lengths);
    }
  });

  it('count once where a child is there twice', async () => {
    const [, variant = {}, , image = {}] = FAMILIES;
    expect(await read([image, variant, ...FAMILIES])).toEqual(await read(FAMILIES));
  });

  it.each([100, 100_000])(
    'must have the variant of a medium, in partitions of %d bytes',
    async (exportPartBytes) => {
      expect(await failureOf(read([...FAMILIES, mediumOf(99, 12)], { exportPartBytes }))).toMatchObject({
        code: 'transient',
        message: expect.stringMatching(/MediaImage\/12, belongs to .*ProductVariant\/99, which is not there/),
      });
    },
  );
});

it.each([
  ['a variant', childOf(1, variantNode(11, { sku: 'OTHER' })), /repeats .*Variant\/11/],
  ['the product itself', productNode(1, { title: 'Other' }), /repeats .*Product\/1/],
])('an export that says two things of %s leaves the other products readable', async (_what, line, reason) => {
  const nodes = [...family(1), ...family(2), line];
  store.answerWith(() => ({ text: exportText(nodes) }));
  const products = await collect(spilled.batches(spilled.completed(nodes)));
  const read = new Map(products.map((product) => [product.externalId.split(':').at(-1), product]));
  expect(read.get('2')?.snapshot().variants).toHaveLength(2);
  expect(() => read.get('1')?.snapshot()).toThrow(
    expect.objectContaining({ code: 'transient', message: expect.stringMatching(reason) }),
  );
});

describe('the files of an export', () => {
  const nodes = Array.from({ length: 300 }, (_, index) => [
    productNode(index + 1, { descriptionHtml: 'x'.repeat(20_000) }),
    childOf(index + 1, variantNode(index + 1)),
  ]).flat();

  it.each([
    ['as the store writes them', nodes],
    ['all children first', nodes.toReversed()],
  ])('take at most twice its size, %s', async (_order, lines) => {
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, bytesIn(spilled.directory));
    }, 1);
    await read(lines, { exportPartBytes: 500_000 });
    clearInterval(watch);
    const size = exportText(lines).length;
    expect(most).toBeGreaterThan(size);
    expect(most).toBeLessThanOrEqual(2 * size);
  });

  it('are refused beyond the bound on their size, which no retry helps', async () => {
    const error = await failureOf(read(nodes, { exportBytes: 1_000_000 }));
    expect(error).toMatchObject({
      code: 'invalid',
      message: 'the export has more than 1000000 bytes: narrow it with filter.query',
    });
    expect(store.calls).toHaveLength(1);
  });

  it('are not downloaded further when the caller stops', async () => {
    const closed = Promise.withResolvers<boolean>();
    const stopping = new AbortController();
    store.answerWith(() => {
      setTimeout(() => stopping.abort(), 50);
      return { text: exportText(nodes), stallAfterBytes: 1_000, closed: closed.resolve };
    });
    const error = await failureOf(snapshots(spilled.batches(spilled.completed(nodes), {}, stopping.signal)));
    expect(error).toMatchObject({ code: 'transient', message: 'the download was stopped' });
    await expect(closed.promise).resolves.toBe(false);
    expect(store.calls).toHaveLength(1);
  });
});

/** Files may be removed while they are counted. */
function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files.reduce((sum, entry) => {
    const found = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
    return sum + (found?.isFile() === true ? found.size : 0);
  }, 0);
}

it('a product that an export has twice is one', async () => {
  const nodes = [...family(1), productNode(1)];
  store.answerWith(() => ({ text: exportText(nodes) }));
  const products = await collect(spilled.batches(spilled.completed(nodes)));
  expect(products.map((product) => product.snapshot().variants.length)).toEqual([2]);
});

describe('folders of earlier exports', () => {
  let parent: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'leftovers-'));
    await mkdir(join(parent, 'store-export-old'));
    await mkdir(join(parent, 'something-else'));
  });
  afterEach(() => rm(parent, { recursive: true }));

  const user = process.getuid?.();
  const inTwoDays = new Date(Date.now() + 2 * 86_400_000);

  it('stay where they are another user’s', async () => {
    await removeLeftovers(parent, inTwoDays, (user ?? 0) + 1);
    expect(await readdir(parent)).toHaveLength(2);
  });

  it('keep no export from being read where the directory cannot be listed', async () => {
    await expect(removeLeftovers(join(parent, 'missing'), inTwoDays, user)).resolves.toBeUndefined();
  });
});
