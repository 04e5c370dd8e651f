import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { RunningStoreSandbox } from './index.js';
import { call, csv, sandbox, stopSandboxes } from '../../../test/support/sandbox/store-caller.js';
import type { UserError } from '../../../test/support/sandbox/store-caller.js';

const READ = `query R($id: ID!, $locale: String = "de") { translatableResource(resourceId: $id) {
  translatableContent { key value digest locale type } translations(locale: $locale) { key value locale outdated } } }`;
const REGISTER = `mutation R($id: ID!, $t: [TranslationInput!]!) { translationsRegister(resourceId: $id, translations: $t) {
  translations { key locale value outdated } userErrors { field message code } } }`;
const REMOVE = `mutation D($id: ID!, $keys: [String!]!, $locales: [String!]!) {
  translationsRemove(resourceId: $id, translationKeys: $keys, locales: $locales) { translations { key } userErrors { code } } }`;
const ID = 'gid://shopify/Product/8000000000001';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function title(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { locale: 'de', key: 'title', value: 'Hut', translatableContentDigest: sha256('Hat'), ...fields };
}

async function shop(): Promise<RunningStoreSandbox> {
  const store = await sandbox();
  store.loadCsv(
    csv({
      Handle: 'hat',
      Title: 'Hat',
      'Body (HTML)': '<p>Warm.</p>',
      'SEO Title': 'A hat',
      'Material (product.metafields.custom.material)': 'Wool',
    }),
  );
  return store;
}

interface Registered {
  readonly translations: readonly { readonly value: string }[] | null;
  readonly userErrors: readonly UserError[];
}

interface Resource {
  readonly translatableResource: { readonly translatableContent: unknown; readonly translations: unknown };
}

async function register(store: RunningStoreSandbox, ...t: Record<string, unknown>[]): Promise<Registered> {
  return (await call<{ translationsRegister: Registered }>(store, REGISTER, { id: ID, t })).body.data
    .translationsRegister;
}

afterEach(stopSandboxes);

describe('translatable content', () => {
  it('lists what is not empty, the product type always, with the hash of each value', async () => {
    const { body } = await call<Resource>(await shop(), READ, { id: ID });
    const content = (key: string, value: string, type: string): object => ({
      key,
      value,
      digest: sha256(value),
      locale: 'en',
      type,
    });
    expect(body.data.translatableResource).toEqual({
      translatableContent: [
        content('title', 'Hat', 'SINGLE_LINE_TEXT_FIELD'),
        content('body_html', '<p>Warm.</p>', 'HTML'),
        content('handle', 'hat', 'URI'),
        content('product_type', '', 'SINGLE_LINE_TEXT_FIELD'),
        content('meta_title', 'A hat', 'SINGLE_LINE_TEXT_FIELD'),
      ],
      translations: [],
    });
  });

  it('of a metafield is its value, with its compare digest', async () => {
    const store = await shop();
    const id = `gid://shopify/Metafield/${store.products.get(ID)!.metafields[0]!.id}`;
    const query = `{ node(id: "${id}") { ... on Metafield { compareDigest } } translatableResource(resourceId: "${id}") { translatableContent { key value digest } } }`;
    const { node, translatableResource } = (
      await call<Resource & { node: { compareDigest: string } }>(store, query)
    ).body.data;
    expect(translatableResource.translatableContent).toEqual([
      { key: 'value', value: 'Wool', digest: node.compareDigest },
    ]);
  });

  it('of an unknown resource is null', async () => {
    const { body } = await call<Resource>(await shop(), READ, { id: 'gid://shopify/Product/1' });
    expect(body.data.translatableResource).toBeNull();
  });
});

describe('translationsRegister', () => {
  it('registers, replaces, and calls outdated what was translated from another text', async () => {
    const store = await shop();
    await register(store, title({ value: 'Mütze' }));
    expect(await register(store, title())).toEqual({
      translations: [{ key: 'title', locale: 'de', value: 'Hut', outdated: false }],
      userErrors: [],
    });
    store.products.merchantEdit(ID, { title: 'Cap' });
    const { body } = await call<Resource>(store, READ, { id: ID });
    expect(body.data.translatableResource.translations).toEqual([
      { key: 'title', value: 'Hut', locale: 'de', outdated: true },
    ]);
  });

  it('is not atomic: good entries are registered beside the errors of others', async () => {
    const store = await shop();
    const { translations, userErrors } = await register(
      store,
      title({ translatableContentDigest: 'stale' }),
      title({ locale: 'fr', value: 'Chapeau' }),
    );
    expect(translations).toHaveLength(1);
    expect(userErrors).toEqual([
      {
        field: ['translations', '0', 'translatableContentDigest'],
        message: 'Translatable content hash is invalid',
        code: 'INVALID_TRANSLATABLE_CONTENT',
      },
    ]);
    const { body } = await call<Resource>(store, READ, { id: ID, locale: 'fr' });
    expect(body.data.translatableResource.translations).toMatchObject([{ value: 'Chapeau' }]);
  });

  it.each([
    [{ locale: 'it' }, 'locale', 'INVALID_LOCALE_FOR_SHOP'],
    [{ locale: 'en' }, 'locale', 'INVALID_LOCALE_FOR_SHOP'],
    [{ key: 'tags' }, 'key', 'INVALID_KEY_FOR_MODEL'],
    [{ key: 'meta_description' }, 'key', 'INVALID_KEY_FOR_MODEL'],
    [{ value: '' }, 'value', 'FAILS_RESOURCE_VALIDATION'],
  ])('refuses %j', async (fields, at, code) => {
    const { userErrors } = await register(await shop(), title(fields));
    expect(userErrors).toEqual([{ field: ['translations', '0', at], message: expect.any(String), code }]);
  });

  it('normalises as the original is normalised', async () => {
    const handle = { key: 'handle', value: 'Der Hut!', translatableContentDigest: sha256('hat') };
    const body = { key: 'body_html', value: '<P>Warm', translatableContentDigest: sha256('<p>Warm.</p>') };
    const { translations } = await register(await shop(), title(handle), title(body));
    expect(translations?.map((each) => each.value)).toEqual(['der-hut', '<p>Warm</p>']);
  });

  it('refuses more than 100 entries and unknown resources as a whole', async () => {
    const store = await shop();
    const many = await register(store, ...Array.from({ length: 101 }, () => title()));
    expect(many).toMatchObject({
      translations: null,
      userErrors: [{ field: ['resourceId'], code: 'TOO_MANY_KEYS_FOR_RESOURCE' }],
    });
    const { body } = await call(store, REGISTER, { id: 'gid://shopify/Product/1', t: [title()] });
    expect(body.data.translationsRegister).toMatchObject({
      translations: null,
      userErrors: [{ code: 'RESOURCE_NOT_FOUND' }],
    });
  });
});

describe('translationsRemove', () => {
  it('removes, and answers null without an error when there is nothing to remove', async () => {
    const store = await shop();
    await register(store, title());
    const remove = async (): Promise<unknown> =>
      (await call(store, REMOVE, { id: ID, keys: ['title'], locales: ['de'] })).body.data.translationsRemove;
    expect(await remove()).toEqual({ translations: [{ key: 'title' }], userErrors: [] });
    expect(await remove()).toEqual({ translations: null, userErrors: [] });
  });
});
