import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ExportScan, LineSplitter } from './jsonl.js';

const line = (node: object): string => `${JSON.stringify(node).replaceAll('/', String.raw`\/`)}\n`;
const root = (id: number, extra: object = {}): string =>
  line({ __typename: 'Product', id: `gid://shopify/Product/${String(id)}`, ...extra });
const child = (parent: number, extra: object = {}): string =>
  line({
    __typename: 'Metafield',
    id: 'gid://shopify/Metafield/1',
    ...extra,
    __parentId: `gid://shopify/Product/${String(parent)}`,
  });

function scan(text: string, chunkBytes = 1_000): ReturnType<ExportScan['finish']> {
  const census = new ExportScan();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) census.push(bytes.subarray(at, at + chunkBytes));
  return census.finish();
}

describe('LineSplitter', () => {
  it('yields the same lines however the bytes are cut', () => {
    const lines = fc.array(
      fc.string({ unit: 'grapheme' }).filter((text) => text !== '' && !text.includes('\n')),
    );
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 20 }), fc.boolean(), (expected, chunkBytes, ended) => {
        const splitter = new LineSplitter();
        const bytes = Buffer.from(expected.join('\n') + (ended && expected.length > 0 ? '\n' : ''));
        const seen: string[] = [];
        for (let at = 0; at < bytes.length; at += chunkBytes) {
          for (const part of splitter.push(bytes.subarray(at, at + chunkBytes))) seen.push(part.toString());
        }
        const rest = splitter.rest().toString();
        expect(rest === '' ? seen : [...seen, rest]).toEqual(expected);
      }),
    );
  });
});

describe('ExportScan', () => {
  it('counts lines and products', () => {
    const text = root(1) + child(1) + child(1) + root(2);
    expect(scan(text)).toEqual({ bytes: Buffer.byteLength(text), lines: 4, roots: 2, grouped: true });
  });

  it('counts the same however the bytes are cut', () => {
    const text = root(1) + child(1, { value: 'ü'.repeat(50) }) + root(2) + child(2);
    for (let chunkBytes = 1; chunkBytes < 40; chunkBytes++)
      expect(scan(text, chunkBytes)).toEqual(scan(text));
  });

  const variant = (parent: number, id: number): string =>
    child(parent, { __typename: 'ProductVariant', id: `gid://shopify/ProductVariant/${String(id)}` });
  const medium = (of: number): string =>
    line({
      __typename: 'MediaImage',
      id: 'gid://shopify/MediaImage/5',
      __parentId: `gid://shopify/ProductVariant/${String(of)}`,
    });

  it.each([
    ['right behind the variant', root(1) + variant(1, 11) + medium(11) + variant(1, 12) + root(2)],
    ['behind all children of the product', root(1) + variant(1, 11) + variant(1, 12) + child(1) + medium(11)],
  ])('takes the children of a variant for those of its product %s', (_place, text) => {
    expect(scan(text)).toMatchObject({ grouped: true });
    expect(scan(text, 7)).toMatchObject({ grouped: true });
  });

  it.each([
    ['a child of another product’s variant', root(1) + variant(1, 11) + root(2) + medium(11)],
    ['a child before its variant', root(1) + medium(11) + variant(1, 11)],
    ['a child behind another product', root(1) + root(2) + child(1)],
    ['a child before its product', child(1) + root(1)],
    ['a child whose parent cannot be read', root(1) + line({ id: 'x', __parentId: null }) + root(2)],
  ])('takes %s for not grouped', (_name, text) => {
    expect(scan(text).grouped).toBe(false);
  });

  it('sees a key in the bytes only where there is one', () => {
    const sly = { value: '"__parentId":"gid://shopify/Product/9"', other: '__parentId', key: '"id":"x"' };
    expect(scan(root(1, sly) + child(1, sly))).toMatchObject({ lines: 2, roots: 1, grouped: true });
  });

  it('allows white space around the colon, and an id spelt in another way', () => {
    const spaced =
      '{"__typename":"A","id" : "gid://shopify/Product/1"}\n{"id": "v", "__typename":"B", "__parentId" : "gid://shopify/Product/1"}\n';
    expect(scan(spaced)).toMatchObject({ lines: 2, roots: 1, grouped: true });
    // Another spelling is only slower.
    const respelt = '{"__typename":"B","id":"v","__parentId":"gid://shopify/Product/1"}\n';
    expect(scan(root(1) + respelt)).toMatchObject({ roots: 1, grouped: false });
  });

  it('agrees with a parser about which lines are products, whatever the texts in them', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('__parentId', '"__parentId":"x"', '\\"__parentId\\":', '\\'),
    );
    const node = fc.record({ id: fc.string(), a: text, b: text, nested: fc.record({ id: text, c: text }) });
    fc.assert(
      fc.property(fc.array(fc.tuple(node, fc.boolean()), { minLength: 1 }), (nodes) => {
        const lines = nodes.map(([value, isChild]) =>
          line(isChild ? { ...value, __typename: 'X', __parentId: 'p' } : { ...value, __typename: 'X' }),
        );
        const census = scan(lines.join(''));
        expect(census.roots).toBe(nodes.filter(([, isChild]) => !isChild).length);
        expect(census.lines).toBe(nodes.length);
      }),
    );
  });

  it('throws transient when the last line is cut off', () => {
    expect(() => scan((root(1) + root(2)).slice(0, -10))).toThrow(
      expect.objectContaining({ code: 'transient' }),
    );
  });
});
