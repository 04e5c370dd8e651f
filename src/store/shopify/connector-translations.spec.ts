import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connectorFindings } from '../../operations/connector-findings.js';
import type { ProductSnapshot } from '../../domain/snapshot.js';
import { type TestStore, startTestStore } from '../../../test/support/sandbox/test-store.js';
import { ShopifyConnector } from './connector.js';
import type { ShopifyOptions } from './options.js';
import { data, refusal, ScriptedStore } from '../../../test/support/store/scripted-store.js';
import { failureOf } from '../../../test/support/failure-of.js';

function connectTo(
  { shop, url, accessToken }: TestStore,
  options: Partial<ShopifyOptions>,
): ShopifyConnector {
  const auth = { accessToken: accessToken ?? '' };
  return new ShopifyConnector({ shop, endpoint: url, auth, apiVersion: '2026-10', ...options });
}

/** Translations against the store emulator, which keeps digests and refuses as real stores were recorded to. */
describe('translations', () => {
  let sandbox: TestStore;
  let connector: ShopifyConnector;
  let id: string;

  beforeEach(async () => {
    sandbox = await startTestStore();
    sandbox.loadCsv(
      [
        'Handle,Title,Body (HTML),Vendor,Status,Care (product.metafields.catalog.care)',
        'hat,Hat,<p>Warm.</p>,Acme,active,Wash cold',
        'cap,Cap,,Acme,active,',
      ].join('\n'),
    );
    connector = connectTo(sandbox, { locales: ['de', 'fr', 'en', 'es'], random: () => 0 });
    id = sandbox.products.byHandle('hat')?.gid ?? '';
  });
  afterEach(async () => {
    await connector.close();
    await sandbox.stop();
  });

  const read = async (locale: string, ...targets: string[]) => {
    const live = await connector.parts.translations.live(id, locale, targets);
    return live && { ...live, texts: Object.fromEntries(live.texts) };
  };
  const CARE = 'metafield:catalog.care';
  const write = (target: string, value: string, expected: string | null = null) =>
    connector.parts.translations.write(id, 'de', [{ target, value, expected }]);

  it('are registered for fields and metafields, and read back as the store keeps them', async () => {
    const outcomes = await connector.parts.translations.write(id, 'de', [
      { target: 'title', value: 'Hut', expected: null },
      { target: 'descriptionHtml', value: '<P>Warm.</P>', expected: null },
      { target: CARE, value: 'Kalt waschen', expected: null },
    ]);
    expect(outcomes).toMatchObject([
      { target: 'title', outcome: 'written', value: 'Hut' },
      { target: 'descriptionHtml', outcome: 'written' },
      { target: CARE, outcome: 'written', value: 'Kalt waschen' },
    ]);
    const { texts } = (await read('de', 'title', 'descriptionHtml', CARE))!;
    const values = outcomes.map((outcome) => ('value' in outcome ? outcome.value : null));
    expect(Object.values(texts)).toEqual(values.map((value) => ({ value })));
    expect((await read('fr', 'title'))?.texts).toEqual({ title: { value: null } });
  });

  it('belong to the text that the shop then has', async () => {
    await write('title', 'Hut');
    await connector.parts.writer.fields(id, { title: 'Felt hat' });
    const [outcome] = await write('title', 'Filzhut', 'Hut');
    expect(outcome).toMatchObject({ outcome: 'written', value: 'Filzhut' });
  });

  it('that a person changed meanwhile are left alone', async () => {
    await write('title', 'Meiner');
    await expect(write('title', 'Hut')).resolves.toMatchObject([
      { target: 'title', outcome: 'changed_meanwhile' },
    ]);
    expect((await read('de', 'title'))?.texts).toEqual({ title: { value: 'Meiner' } });
  });

  it('do not exist for an empty text, for a vendor, and in a language that the shop lacks', async () => {
    id = sandbox.products.byHandle('cap')?.gid ?? '';
    expect(await read('de', 'title', 'descriptionHtml', 'vendor', CARE)).toEqual({
      problem: null,
      texts: { title: { value: null } },
      never: ['vendor'],
    });
    expect((await read('es', 'title'))?.problem).toContain('has no language es');
    expect((await read('en', 'title'))?.problem).toContain('own language');
    await expect(write('descriptionHtml', '<p>x</p>')).resolves.toMatchObject([{ outcome: 'refused' }]);
  });

  it('are removed where they were not there before; absent ones are no error', async () => {
    await write('title', 'Hut');
    await connector.parts.translations.remove(id, 'de', ['title', CARE]);
    await connector.parts.translations.remove(id, 'de', ['title']);
    expect((await read('de', 'title'))?.texts).toEqual({ title: { value: null } });
  });

  it('of a product that is gone are null, and cannot be written', async () => {
    id = 'gid://shopify/Product/1';
    expect(await read('de', 'title')).toBeNull();
    expect(await failureOf(write('title', 'x'))).toMatchObject({ code: 'not_found' });
  });

  async function titlesInExport(): Promise<(string | undefined)[]> {
    return (await exported()).map(({ translations }) => translations?.['de']?.title);
  }

  async function exported(): Promise<ProductSnapshot[]> {
    const handle = (await connector.parts.exports.start('')) ?? '';
    let state = await connector.parts.exports.poll(handle);
    while (state.status === 'running') state = await connector.parts.exports.poll(handle);
    if (state.status !== 'completed') throw new Error(state.reason);
    const products: ProductSnapshot[] = [];
    for await (const batch of connector.parts.exports.read(state))
      products.push(...batch.map((product) => product.snapshot()));
    return products;
  }

  it('are read with the product, by an export, by pages and by id', async () => {
    await connector.parts.translations.write(id, 'de', [
      { target: 'title', value: 'Hut', expected: null },
      { target: 'descriptionHtml', value: '<p>Warm, auf Deutsch.</p>', expected: null },
    ]);
    const expected = { de: { title: 'Hut', descriptionHtml: '<p>Warm, auf Deutsch.</p>' } };
    const [byId] = await connector.parts.details.read([id]);
    expect(byId?.snapshot().translations).toEqual(expected);
    const paged = [];
    for await (const batch of connector.parts.pages.products({ query: '', since: null }))
      paged.push(...batch);
    expect(paged.map((each) => each.snapshot().translations)).toEqual(expect.arrayContaining([expected, {}]));
    expect((await titlesInExport()).sort()).toEqual(['Hut', undefined]);
  });

  it('of metafields are read with the product where attributes are mapped, by an export and by id', async () => {
    await write(CARE, 'Kalt waschen');
    const inGerman = (product: ProductSnapshot | undefined) =>
      product?.metafields.map(({ key, value, translations }) => [key, value, translations?.['de']]);
    const [unmapped] = await connector.parts.details.read([id]);
    expect(inGerman(unmapped?.snapshot())).toEqual([['care', 'Wash cold', undefined]]);
    await connector.close();
    connector = connectTo(sandbox, { locales: ['de', 'fr'], metafieldLocales: ['de', 'fr'] });
    const [byId] = await connector.parts.details.read([id]);
    expect(inGerman(byId?.snapshot())).toEqual([['care', 'Wash cold', 'Kalt waschen']]);
    const hat = (await exported()).find(({ handle }) => handle === 'hat');
    expect(hat).toEqual(byId?.snapshot());
  });

  it('are unknown where the app lacks the scope, and the products are still read', async () => {
    const narrow = await startTestStore({ scopes: ['read_products', 'write_products'] });
    narrow.loadCsv('Handle,Title\nhat,Hat');
    await connector.close();
    connector = connectTo(narrow, { locales: ['de'], metafieldLocales: ['de'] });
    const [product] = await connector.parts.details.read([narrow.products.byHandle('hat')?.gid ?? '']);
    expect(product?.snapshot()).toMatchObject({ title: 'Hat', translations: null });
    expect(await titlesInExport()).toEqual([undefined]);
    await narrow.stop();
  });

  it('cost nothing without further languages: no request asks for them', async () => {
    await connector.close();
    connector = connectTo(sandbox, {});
    const before = sandbox.requests.length;
    const [product] = await connector.parts.details.read([id]);
    expect(product?.snapshot()).not.toHaveProperty('translations');
    expect(sandbox.requests.slice(before)).toHaveLength(1);
  });

  it('are checked against the shop’s languages, and so are bulk operations', async () => {
    const findings = await connectorFindings(connector);
    const details = findings.filter(({ what }) => what === 'translations');
    expect(details.map(({ level, detail }) => `${level} ${detail.slice(0, 50)}`)).toEqual([
      expect.stringMatching(/^ok de is a language of the shop/),
      expect.stringMatching(/^warn fr is a language of the shop that is not publis/),
      expect.stringMatching(/^warn en is the shop’s own language/),
      expect.stringMatching(/^warn the shop has no language es/),
    ]);
    expect(findings).toContainEqual(expect.objectContaining({ what: 'bulk operations', level: 'ok' }));
  });
});

describe('translations of a store that says otherwise', () => {
  const GID = 'gid://shopify/Product/1';
  const store = ScriptedStore.forEachTest();

  const resource = (digest: string) =>
    data({
      shopLocales: [{ locale: 'de', primary: false, published: true }],
      translatableResourcesByIds: {
        nodes: [{ resourceId: GID, translatableContent: [{ key: 'title', digest }], translations: [] }],
      },
    });
  const stale = { field: ['translations', '0', 'x'], message: 'stale', code: 'INVALID_TRANSLATABLE_CONTENT' };
  const registered = (translations: object[] | null, userErrors: object[]) =>
    data({ translationsRegister: { translations, userErrors } });
  const write = () =>
    store.parts().translations.write(GID, 'de', [{ target: 'title', value: 'Hut', expected: null }]);

  it('read a stale digest again, one time only', async () => {
    store.answerWith(({ operation, earlier }) => {
      if (operation === 'Translations') return resource(`digest-${String(earlier)}`);
      return earlier === 0
        ? registered([], [stale])
        : registered([{ key: 'title', locale: 'de', value: 'Hut' }], []);
    });
    await expect(write()).resolves.toMatchObject([{ outcome: 'written' }]);
    expect(store.calls.at(-1)?.variables).toMatchObject({
      translations: [{ translatableContentDigest: 'digest-1' }],
    });
    store.answerWith(({ operation }) =>
      operation === 'Translations' ? resource('d') : registered([], [stale]),
    );
    const before = store.calls.length;
    await expect(write()).resolves.toMatchObject([{ outcome: 'refused', reason: 'stale' }]);
    expect(store.calls.length - before).toBe(4);
  });

  it('report a missing permission as a problem, not as a failure', async () => {
    store.answerWith(() => refusal('ACCESS_DENIED'));
    const live = await store.parts().translations.live(GID, 'de', ['title']);
    expect(live?.problem).toContain('read_translations');
  });

  it('leave the outcome open when no answer came, and do not try again', async () => {
    store.answerWith(({ operation }) =>
      operation === 'Translations' ? resource('d') : { status: 504, text: '' },
    );
    expect(await failureOf(write())).toMatchObject({ code: 'transient', outcomeUnknown: true });
    expect(store.calls.filter(({ operation }) => operation === 'TranslationsRegister')).toHaveLength(1);
  });
});
