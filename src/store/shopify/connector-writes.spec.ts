import { describe, expect, it } from '@jest/globals';
import { CodedError } from '../../domain/errors.js';
import { z } from 'zod';
import { liveValue, type StoreWriteOptions } from '../../domain/store-port.js';
import { everyMetafieldOf } from '../../domain/write-target.js';
import type { TextWrite } from '../outcomes.js';
import type { ShopifyConnector } from './connector.js';
import { contentNode, page, productUpdate } from '../../../test/support/store/products.js';
import {
  type Call,
  connect,
  data,
  refusal,
  type Reply,
  ScriptedStore,
} from '../../../test/support/store/scripted-store.js';
import { failureOf } from '../../../test/support/failure-of.js';

const GID = 'gid://shopify/Product/1';
const VARIANT = 'gid://shopify/ProductVariant/7';
const OTHER_VARIANT = 'gid://shopify/ProductVariant/8';
const store = ScriptedStore.forEachTest();

const updated = (product: object | null = contentNode(), userErrors: object[] = []): Reply =>
  data(productUpdate(product, userErrors));
const live = (overrides: object = {}): Reply =>
  data({ product: { ...contentNode(), status: 'ACTIVE', ...overrides } });

describe('writing product fields', () => {
  it('sends the given fields and no others, and answers with what the store made of them', async () => {
    store.answerWith(() => updated());
    const result = await store.parts().writer.fields(GID, {
      descriptionHtml: '<P>Sent',
      productType: 'x',
    });
    expect(store.calls[0]?.variables).toEqual({
      product: { id: GID, descriptionHtml: '<P>Sent', productType: 'x' },
      // Not requested, because it costs a point.
      ...{ withSeo: false, withCategory: false },
    });
    expect(result).toEqual({ descriptionHtml: '<p>Stored</p>', productType: null });
  });

  it('sends the live other half of seo along with the half that is written', async () => {
    store.answerWith(({ operation }) =>
      operation === 'LiveProduct'
        ? live()
        : updated(contentNode({ seo: { title: 'Live SEO', description: 'New' } })),
    );
    const result = await store.parts().writer.fields(GID, { 'seo.description': 'New' });
    expect(store.calls[1]?.variables).toEqual({
      product: { id: GID, seo: { title: 'Live SEO', description: 'New' } },
      ...{ withSeo: true, withCategory: false },
    });
    expect(result).toEqual({ 'seo.description': 'New' });
  });

  it('calls nobody for no fields', async () => {
    await expect(store.parts().writer.fields(GID, {})).resolves.toEqual({});
    expect(store.calls).toEqual([]);
  });

  it('fails as invalid with the store’s messages by field, though the store shows the product', async () => {
    const userErrors = [
      { field: ['productType'], message: 'too long' },
      { field: ['customProductType'], message: 'too long' },
      { field: ['input', 'title'], message: 'blank' },
      { field: ['title'], message: 'odd' },
    ];
    store.answerWith(() => updated(contentNode(), userErrors));
    expect(await failureOf(store.parts().writer.fields(GID, { title: '' }))).toMatchObject({
      code: 'invalid',
      fields: { productType: ['too long'], customProductType: ['too long'], title: ['blank', 'odd'] },
    });
  });

  it('of seo alone fails as not_found when the product is gone', async () => {
    store.answerWith(() => data({ product: null }));
    const error = await failureOf(store.parts().writer.fields(GID, { 'seo.title': 'x' }));
    expect(error).toMatchObject({ code: 'not_found' });
  });

  it('leaves the outcome open when an earlier try may have written and the last was refused', async () => {
    store.answerInTurn({ cutAfterBytes: 0 }, { status: 403, text: '' });
    const error = await failureOf(store.parts().writer.metafields(GID, [entry('a')]));
    expect(error).toMatchObject({ code: 'auth', outcomeUnknown: true });
  });
});

describe('a write with a fence', () => {
  const lost = new Error('another worker has the product');

  type Write = (writer: ShopifyConnector['parts']['writer'], options: StoreWriteOptions) => Promise<unknown>;
  it.each<[string, Write]>([
    ['writeMetafields', (writer, options) => writer.metafields(GID, [entry('a')], options)],
    ['removeMetafields', (writer, options) => writer.removeMetafields(GID, ['metafield:catalog.a'], options)],
  ])('%s sends nothing when the fence throws', async (_name, write) => {
    store.answerWith(() => updated());
    const beforeSend = async (): Promise<void> => Promise.reject(lost);
    expect(await failureOf(write(store.parts().writer, { beforeSend }))).toBe(lost);
    expect(store.calls).toHaveLength(0);
  });

  it('ends with what the fence throws, also when it is an error that the store’s own would be repeated for', async () => {
    const { connector, slept } = connect(store.url);
    const late = new CodedError('throttled', 'too late');
    const beforeSend = async (): Promise<void> => Promise.reject(late);
    expect(await failureOf(connector.parts.writer.fields(GID, { title: 'x' }, { beforeSend }))).toBe(late);
    expect([store.calls.length, slept.length]).toEqual([0, 0]);
  });

  it('asks the fence before each try, after the wait that the store asked for', async () => {
    store.answerInTurn({ status: 429, headers: { 'retry-after': '2' } }, updated());
    const { connector, slept } = connect(store.url);
    const proofs: number[] = [];
    const beforeSend = async (): Promise<void> => {
      proofs.push(slept.length);
      return Promise.resolve();
    };
    await connector.parts.writer.fields(GID, { title: 'x' }, { beforeSend });
    expect(proofs).toEqual([0, 1]);
  });
});

describe('reading live values', () => {
  it('treats the empty string as null, and asks for no more than the targets need', async () => {
    store.answerWith(() => live());
    const found = await store.connector().readTargets(GID, ['seo.title']);
    expect(found?.status).toBe('ACTIVE');
    expect([...found!.values].map(([target, { value }]) => [target, value])).toEqual([
      ...[
        ['title', 'Stored title'],
        ['descriptionHtml', '<p>Stored</p>'],
        ['vendor', 'Acme'],
      ],
      ...[
        ['productType', null],
        ['seo.title', 'Live SEO'],
        ['seo.description', null],
      ],
    ]);
    expect(store.calls[0]?.variables).toMatchObject({ withMetafields: false, withSeo: true });
  });

  it('answers no characters that no database takes: a write would journal them', async () => {
    store.answerWith(() => live({ title: 'A\u0000B' }));
    const product = await store.connector().readTargets(GID, ['title']);
    expect(product?.values.get('title')?.value).toBe('AB');
  });

  it('leaves out the search engine texts where they are not needed: absent, and not empty', async () => {
    store.answerWith(() => live({ seo: undefined }));
    const product = await store.connector().readTargets(GID, ['title']);
    expect(store.calls[0]?.variables).toMatchObject({ withSeo: false });
    expect(() => liveValue(product!, 'seo.title')).toThrow('was not read');
  });

  it('reads all pages of the namespace’s metafields with their digests', async () => {
    const metafield = (key: string): object => ({
      namespace: 'catalog',
      key,
      type: 'x',
      value: key,
      compareDigest: `d-${key}`,
    });
    store.answerWith(({ variables }) =>
      variables['after'] === null
        ? live({ metafields: page([metafield('a')], 'next') })
        : live({ metafields: page([metafield('b')]) }),
    );
    const product = await store.connector().readTargets(GID, [everyMetafieldOf('catalog')]);
    const tokens = ['a', 'b'].map((key) => product?.values.get(`metafield:catalog.${key}`)?.token);
    expect(tokens).toEqual(['d-a', 'd-b']);
  });

  it('answers null for an id of something else', async () => {
    store.answerWith(() => refusal('RESOURCE_NOT_FOUND'));
    await expect(store.connector().readTargets(GID, ['title'])).resolves.toBeNull();
  });
});

const setInput = z.object({
  metafields: z.array(
    z.object({
      ownerId: z.string(),
      namespace: z.string(),
      key: z.string(),
      value: z.string(),
      compareDigest: z.string().nullable(),
    }),
  ),
});
const targetOf = (key: string): string => `metafield:catalog.${key}`;
const entry = (key: string, token: string | null = null): TextWrite => ({
  ...{ target: targetOf(key), type: 'single_line_text_field', value: `value of ${key}` },
  ...{ expected: null, token },
});
/** The same metafield of a variant. */
const variantEntry = (variant: string, key: string): TextWrite => ({
  ...entry(key),
  target: `variant:${variant}:${targetOf(key)}`,
});
const keysOf = ({ variables }: Call): string[] => setInput.parse(variables).metafields.map(({ key }) => key);

/** A store that refuses entries by key, all or nothing, and upper-cases what it stores. */
function setting(
  refusals: Readonly<Record<string, { code: string | null; place?: boolean }>>,
): (call: Call) => Reply {
  return (call) => {
    const { metafields } = setInput.parse(call.variables);
    const userErrors = metafields.flatMap(({ key }, index) => {
      const refused = refusals[key];
      if (refused === undefined) return [];
      const field = refused.place === false ? ['metafields'] : ['metafields', String(index), 'value'];
      return [{ field, message: `no ${key}`, code: refused.code, elementIndex: null }];
    });
    const stored = metafields.map(({ namespace, key, value }) => ({
      namespace,
      key,
      value: value.toUpperCase(),
    }));
    return data({ metafieldsSet: { metafields: userErrors.length > 0 ? [] : stored, userErrors } });
  };
}

describe('setting metafields', () => {
  it('guards each by its digest, null for one that must not exist, and answers with the value as stored', async () => {
    store.answerWith(setting({}));
    const outcomes = await store.parts().writer.metafields(GID, [entry('a'), entry('b', 'old')]);
    expect(
      setInput.parse(store.calls[0]?.variables).metafields.map(({ compareDigest }) => compareDigest),
    ).toEqual([null, 'old']);
    expect(outcomes).toEqual([
      { target: targetOf('a'), outcome: 'written', value: 'VALUE OF A' },
      { target: targetOf('b'), outcome: 'written', value: 'VALUE OF B' },
    ]);
  });

  it('answers with the value of the product or of the variant, whichever owns it', async () => {
    const owners = [GID, VARIANT, OTHER_VARIANT];
    const stored = owners.map((id) => ({ ...{ namespace: 'catalog', key: 'a' }, owner: { id }, value: id }));
    for (const metafields of [stored, stored.toReversed()]) {
      store.answerWith(() => data({ metafieldsSet: { metafields, userErrors: [] } }));
      const outcomes = await store
        .parts()
        .writer.metafields(GID, [...[entry('a'), variantEntry('7', 'a'), variantEntry('8', 'a')]]);
      expect(outcomes).toMatchObject(owners.map((value) => ({ outcome: 'written', value })));
    }
  });

  it('takes the metafield of another owner for none', async () => {
    const foreign = { namespace: 'catalog', key: 'a', value: 'X', owner: { id: VARIANT } };
    store.answerWith(() => data({ metafieldsSet: { metafields: [foreign], userErrors: [] } }));
    const writes = [entry('a'), variantEntry('7', 'a')];
    const error = await failureOf(store.parts().writer.metafields(GID, writes));
    expect(error).toMatchObject({ code: 'transient', outcomeUnknown: true });
  });

  it('lets one entry’s refusal hold up no other, and distinguishes a change from an error', async () => {
    store.answerWith(
      setting({
        stale: { code: 'STALE_OBJECT' },
        absent: { code: 'INVALID_COMPARE_DIGEST' },
        bad: { code: 'INVALID_VALUE' },
        reserved: { code: null },
      }),
    );
    const keys = ['a', 'stale', 'absent', 'bad', 'reserved', 'b'];
    const outcomes = await store.parts().writer.metafields(
      GID,
      keys.map((key) => entry(key)),
    );
    expect(outcomes.map(({ target, outcome }) => `${target.slice(targetOf('').length)} ${outcome}`)).toEqual([
      'a written',
      'stale changed_meanwhile',
      'absent changed_meanwhile',
      'bad refused',
      'reserved refused',
      'b written',
    ]);
    expect(store.calls.map(keysOf)).toEqual([keys, ['a', 'b']]);
  });

  it('tries each by itself when the store does not say which it means', async () => {
    store.answerWith(setting({ bad: { code: 'INVALID', place: false } }));
    const outcomes = await store.parts().writer.metafields(GID, [entry('a'), entry('bad'), entry('b')]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['written', 'refused', 'written']);
  });

  it('tries each by itself when the whole request is refused', async () => {
    const set = setting({});
    store.answerWith((call) =>
      keysOf(call).includes('bad') ? refusal('INVALID_VARIABLE', 'bad type') : set(call),
    );
    const outcomes = await store.parts().writer.metafields(GID, [entry('a'), entry('bad')]);
    expect(outcomes).toMatchObject([
      { outcome: 'written' },
      { outcome: 'refused', reason: expect.stringContaining('bad type') },
    ]);
  });

  it('sends no more than 25 at once', async () => {
    store.answerWith(setting({}));
    const entries = Array.from({ length: 60 }, (_, index) => entry(`k${String(index)}`));
    await expect(store.parts().writer.metafields(GID, entries)).resolves.toHaveLength(60);
    expect(store.calls.map((call) => keysOf(call).length)).toEqual([25, 25, 10]);
  });

  it('throws what is no entry’s fault', async () => {
    store.answerWith(() => refusal('ACCESS_DENIED'));
    expect(await failureOf(store.parts().writer.metafields(GID, [entry('a')]))).toMatchObject({
      code: 'auth',
    });
  });
});

describe('removing metafields', () => {
  it('fails as invalid when the store refuses', async () => {
    store.answerWith(() =>
      data({ metafieldsDelete: { deletedMetafields: [], userErrors: [{ field: null, message: 'no' }] } }),
    );
    const error = await failureOf(store.parts().writer.removeMetafields(GID, ['metafield:n.a']));
    expect(error).toMatchObject({ code: 'invalid', fields: { product: ['no'] } });
  });

  it('that the store refuses for one of them removes the others', async () => {
    const named = z.object({ metafields: z.array(z.object({ key: z.string() })) });
    store.answerWith(({ variables }) => {
      const isRefused = named.parse(variables).metafields.some(({ key }) => key === 'kept');
      const userErrors = isRefused ? [{ field: null, message: 'no' }] : [];
      return data({ metafieldsDelete: { deletedMetafields: [], userErrors } });
    });
    const writes = ['a', 'kept', 'b'].map((key) => {
      return { target: targetOf(key), value: null, expected: 'x', token: null };
    });
    const found: string[] = [];
    for await (const outcomes of store.connector().write(GID, writes))
      found.push(...outcomes.map(({ outcome }) => outcome));
    expect(found).toEqual(['written', 'refused', 'written']);
  });
});
