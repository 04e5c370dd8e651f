import { describe, expect, it } from '@jest/globals';
import { contentNode, productUpdate } from '../../../test/support/store/products.js';
import { data, refusal, ScriptedStore } from '../../../test/support/store/scripted-store.js';
import { failureOf } from '../../../test/support/failure-of.js';

const store = ScriptedStore.forEachTest();

const GID = 'gid://shopify/Product/1';
const image = (id: string, alt: string | null) => ({ id: `gid://shopify/MediaImage/${id}`, alt });
const fileUpdate = (files: object[], userErrors: object[] = []) =>
  data({ fileUpdate: { files, userErrors } });
const tagged = (tags: string[] | null, userErrors: object[] = []) =>
  data({ change: { node: tags === null ? null : { id: GID, tags }, userErrors } });

describe('tags', () => {
  it('are added in one call, and the answer is what the product has then', async () => {
    store.answerInTurn(tagged(['Cotton', 'Summer']));
    expect(await store.parts().tagsAndAlts.addTags(GID, ['Cotton'])).toEqual(['Cotton', 'Summer']);
    expect(store.calls[0]?.variables).toEqual({ id: GID, tags: ['Cotton'] });
  });

  it.each([
    ['not_found', tagged(null, [{ field: ['id'], message: 'Product does not exist' }])],
    ['invalid', tagged(['Summer'], [{ field: ['tags'], message: 'Product tags is invalid' }])],
  ])('that the store refuses fail as %s', async (code, answer) => {
    store.answerInTurn(answer);
    expect(await failureOf(store.parts().tagsAndAlts.addTags(GID, ['x']))).toMatchObject({ code });
  });
});

describe('alternative texts', () => {
  const writes = ['1', '2', '3'].map((id) => {
    return { target: `image-alt:${id}`, value: `Text ${id}`, expected: null, token: null };
  });

  it('are sent again without those that the store refuses, which are named with its reason', async () => {
    const refused = { field: ['files', '1', 'id'], message: 'File is not ready.', code: 'NON_READY_STATE' };
    store.answerInTurn(fileUpdate([], [refused]), fileUpdate([image('1', 'Text 1'), image('3', 'Text 3')]));
    const outcomes = await store.parts().tagsAndAlts.imageAlts(writes);
    expect(outcomes).toEqual([
      { target: 'image-alt:1', outcome: 'written', value: 'Text 1' },
      { target: 'image-alt:2', outcome: 'refused', reason: 'File is not ready.' },
      { target: 'image-alt:3', outcome: 'written', value: 'Text 3' },
    ]);
    expect(store.calls[1]?.variables).toEqual({ files: [image('1', 'Text 1'), image('3', 'Text 3')] });
  });

  it('without the scope for files are refused, and the store is not paused for it', async () => {
    store.answerInTurn(refusal('ACCESS_DENIED'));
    const refused = { outcome: 'refused', reason: expect.stringContaining('write_files') };
    const outcomes = await store.parts().tagsAndAlts.imageAlts(writes);
    expect(outcomes).toMatchObject([refused, refused, refused]);
    expect(store.calls).toHaveLength(1);
  });

  it('that the store does not show afterwards have an unknown outcome', async () => {
    store.answerInTurn(fileUpdate([]));
    expect(await failureOf(store.parts().tagsAndAlts.imageAlts(writes))).toMatchObject({
      code: 'transient',
      outcomeUnknown: true,
    });
  });
});

describe('categories', () => {
  const found = (...names: string[]) =>
    data({
      taxonomy: {
        categories: {
          nodes: names.map((fullName) => ({
            id: `id of ${fullName}`,
            fullName,
            isArchived: fullName.includes('Old'),
          })),
          pageInfo: { hasNextPage: false, endCursor: null },
        },
      },
    });
  const SHIRTS = ['Apparel > Shirts', 'Sport > Shirts', 'Old > Shirts', 'Apparel > Shirts > Polo Shirts'];

  it.each([
    ['Shirts', ['Apparel > Shirts', 'Sport > Shirts']],
    ['sport>shirts', ['Sport > Shirts']],
    ['Hats > Shirts', []],
    ['Polo Shirts', ['Apparel > Shirts > Polo Shirts']],
  ])('that %s names are found by their ends, archived ones left out', async (text, names) => {
    store.answerInTurn(found(...SHIRTS));
    const categories = await store.parts().taxonomy.find(text);
    expect(categories.map(({ fullName }) => fullName)).toEqual(names);
  });

  it('with a full name of their own are taken before longer ones that end with it', async () => {
    store.answerInTurn(found('Shirts', 'Sport > Shirts'));
    expect(await store.parts().taxonomy.find('Shirts')).toMatchObject([{ fullName: 'Shirts' }]);
  });

  it('are asked for once', async () => {
    store.answerInTurn(found(...SHIRTS));
    const connector = store.connector();
    await connector.parts.taxonomy.find('Shirts');
    await connector.parts.taxonomy.find('Shirts');
    expect(store.calls).toHaveLength(1);
  });

  it('are written by the id of the one that the text names, and an empty text empties the field', async () => {
    const updated = (fullName: string | null) =>
      data(productUpdate(contentNode({ category: fullName === null ? null : { id: 'x', fullName } })));
    store.answerInTurn(found('Sport > Shirts'), updated('Sport > Shirts'), updated(null));
    const connector = store.connector();
    expect(await connector.parts.writer.fields(GID, { category: 'Sport > Shirts' })).toEqual({
      category: 'Sport > Shirts',
    });
    expect(await connector.parts.writer.fields(GID, { category: '' })).toEqual({ category: null });
    expect(store.calls.slice(1).map(({ variables }) => variables)).toEqual([
      { product: { id: GID, category: 'id of Sport > Shirts' }, withSeo: false, withCategory: true },
      { product: { id: GID, category: null }, withSeo: false, withCategory: true },
    ]);
  });
});

it('metafields of variants are read by variant, and those of another product’s variant are not', async () => {
  const metafield = (value: string) => ({
    namespace: 'custom',
    key: 'colour',
    type: 'single_line_text_field',
    value,
    compareDigest: `d ${value}`,
  });
  const node = (id: string, product: string, value: string) => ({
    id: `gid://shopify/ProductVariant/${id}`,
    product: { id: product },
    metafields: { nodes: [metafield(value)] },
  });
  store.answerInTurn(
    data({ nodes: [node('7', GID, 'Red'), node('8', 'gid://shopify/Product/2', 'Blue'), null, {}] }),
    data({ product: { ...contentNode(), status: 'ACTIVE' } }),
  );
  const targetOf = (variant: string) => `variant:${variant}:metafield:custom.colour`;
  const read = await store.connector().readTargets(GID, ['7', '8', '9', '10'].map(targetOf));
  expect(read?.values.get(targetOf('7'))).toMatchObject({ value: 'Red', token: 'd Red' });
  for (const other of ['8', '9', '10'])
    expect(read?.values.get(targetOf(other))).toMatchObject({ value: null, closed: { why: 'gone' } });
});

it.each(['gid://shopify/TaxonomyCategory/odd id', 'zz-9999', 'Odd > category'])(
  'a category that the store refuses to look for, %s, is none of its categories',
  async (text) => {
    store.answerWith(() => refusal(text.startsWith('zz') ? 'RESOURCE_NOT_FOUND' : 'INVALID_VARIABLE'));
    const found = await store.connector().constraints([{ target: 'category', value: text }]);
    expect(found.categories.get(text)).toEqual([]);
  },
);
