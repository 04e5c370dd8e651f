import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProductSnapshot } from '../../domain/snapshot.js';
import {
  childOf,
  exportText,
  imageNode,
  productNode,
  variantNode,
} from '../../../test/support/store/products.js';
import { connect, failureOf, ScriptedStore, snapshots } from '../../../test/support/store/scripted-store.js';

let store: ScriptedStore;
let spillDir: string;
beforeEach(async () => {
  store = await ScriptedStore.start();
  spillDir = await mkdtemp(join(tmpdir(), 'variant-media-spec-'));
});
afterEach(async () => {
  await store.stop();
  expect(await readdir(spillDir)).toEqual([]);
  await rm(spillDir, { recursive: true });
});

const mediumOf = (variant: number, id: number): Record<string, unknown> => ({
  __typename: 'MediaImage',
  id: `gid://shopify/MediaImage/${String(id)}`,
  __parentId: `gid://shopify/ProductVariant/${String(variant)}`,
});
const address = (id: number): string => `https://cdn.example.com/${String(id)}.jpg`;

/** Two products of two variants; the second variant of each has an image. */
const LINES = [1, 2].flatMap((id) => [
  productNode(id),
  childOf(id, variantNode(id * 10 + 1)),
  childOf(id, variantNode(id * 10 + 2, { position: 2 })),
  mediumOf(id * 10 + 2, id * 10 + 3),
  childOf(id, imageNode(id * 10 + 3, address(id * 10 + 3))),
]);

function read(nodes: readonly Record<string, unknown>[], limits = {}): Promise<ProductSnapshot[]> {
  store.answerWith(() => ({ text: exportText(nodes) }));
  const rootObjects = nodes.filter((node) => !('__parentId' in node)).length;
  const job = { handle: 'gid://shopify/BulkOperation/7', url: `${store.url}/file`, objects: nodes.length };
  return snapshots(
    connect(store.url, { spillDir, limits }).connector.parts.exports.read({ ...job, rootObjects }),
  );
}

describe('the media of variants in an export', () => {
  const at = (...places: number[]): Record<string, unknown>[] => places.map((place) => LINES[place] ?? {});

  it.each([
    ['right behind their variants', LINES, {}],
    ['behind everything else of their product', at(0, 1, 2, 4, 3, 5, 6, 7, 9, 8), {}],
    ['behind other products', at(0, 5, 1, 6, 2, 7, 9, 4, 8, 3), {}],
    ['behind other products, in many partitions', at(0, 5, 1, 6, 2, 7, 9, 4, 8, 3), { exportPartBytes: 100 }],
    ['before their variants and products', at(8, 3, 7, 2, 0, 5, 1, 6, 4, 9), {}],
    [
      'before their variants and products, in many partitions',
      at(8, 3, 7, 2, 0, 5, 1, 6, 4, 9),
      { exportPartBytes: 100 },
    ],
  ])('are the variants’ images when they stand %s', async (_place, nodes, limits) => {
    const products = (await read(nodes, limits)).toSorted((one, other) =>
      one.externalId.localeCompare(other.externalId),
    );
    expect(products.map(({ variants }) => variants.map(({ imageUrls }) => imageUrls))).toEqual([
      [[], [address(13)]],
      [[], [address(23)]],
    ]);
    expect(products.map(({ imageUrls }) => imageUrls)).toEqual([[address(13)], [address(23)]]);
  });

  it.each([
    ['in a file whose lines are grouped', [...LINES.slice(0, 5), mediumOf(99, 13)], {}],
    ['in one partition', [...at(0, 5, 1), mediumOf(99, 13)], {}],
    ['in many partitions', [...at(0, 5, 1), mediumOf(99, 13)], { exportPartBytes: 100 }],
  ])('of a variant that is not there fail the export as transient, %s', async (_where, nodes, limits) => {
    expect(await failureOf(read(nodes, limits))).toMatchObject({
      code: 'transient',
      message: expect.stringMatching(/MediaImage\/13, belongs to .*ProductVariant\/99, which is not there/),
    });
  });
});
