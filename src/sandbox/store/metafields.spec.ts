import { afterEach, describe, expect, it } from '@jest/globals';
import { isMetafieldType, metafieldJson, normaliseMetafieldValue } from './metafield-values.js';
import {
  call,
  csv,
  productsCsv,
  sandbox,
  stopSandboxes,
} from '../../../test/support/sandbox/store-caller.js';
import type { UserError } from '../../../test/support/sandbox/store-caller.js';
import type { RunningStoreSandbox } from './index.js';

const SET = `mutation S($metafields: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $metafields) {
  metafields { id namespace key type value compareDigest ownerType } userErrors { field message code elementIndex } } }`;
const DELETE = `mutation D($metafields: [MetafieldIdentifierInput!]!) { metafieldsDelete(metafields: $metafields) {
  deletedMetafields { ownerId namespace key } userErrors { field message } } }`;
const OWNER = 'gid://shopify/Product/8000000000001';
const TEXT = 'single_line_text_field';

function entry(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { ownerId: OWNER, namespace: 'catalog', key: 'fit', type: TEXT, value: 'Slim', ...fields };
}

interface Metafield {
  readonly namespace: string;
  readonly value: string;
  readonly compareDigest: string;
  readonly ownerType: string;
}

interface SetPayload {
  readonly metafields: readonly Metafield[];
  readonly userErrors: readonly UserError[];
}

async function set(
  store: RunningStoreSandbox,
  ...metafields: Record<string, unknown>[]
): Promise<SetPayload> {
  return (await call<{ metafieldsSet: SetPayload }>(store, SET, { metafields })).body.data.metafieldsSet;
}

async function shop(): Promise<RunningStoreSandbox> {
  const store = await sandbox();
  store.loadCsv(productsCsv(2));
  return store;
}

function stored(store: RunningStoreSandbox): Record<string, string> {
  const metafields = store.products.get(OWNER)?.metafields ?? [];
  return Object.fromEntries(metafields.map((each) => [`${each.namespace}.${each.key}`, each.value]));
}

afterEach(stopSandboxes);

describe('metafieldsSet', () => {
  it('writes and answers with what is stored', async () => {
    const store = await shop();
    const { metafields, userErrors } = await set(store, entry());
    expect(userErrors).toEqual([]);
    expect(metafields).toEqual([
      {
        id: expect.stringMatching(/^gid:\/\/shopify\/Metafield\/\d+$/),
        namespace: 'catalog',
        key: 'fit',
        type: TEXT,
        value: 'Slim',
        compareDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
        ownerType: 'PRODUCT',
      },
    ]);
  });

  it('is atomic: one bad entry and nothing is written', async () => {
    const store = await shop();
    const result = await set(store, entry(), entry({ key: 'height', type: 'number_integer', value: 'tall' }));
    expect(result).toEqual({
      metafields: [],
      userErrors: [
        {
          field: ['metafields', '1', 'value'],
          message: 'Value must be an integer.',
          code: 'INVALID_VALUE',
          elementIndex: null,
        },
      ],
    });
    expect(stored(store)).toEqual({});
  });

  it('takes at most 25 entries', async () => {
    const store = await shop();
    const many = Array.from({ length: 26 }, (_, index) => entry({ key: `key_${index}` }));
    expect(await set(store, ...many)).toEqual({
      metafields: null,
      userErrors: [
        {
          field: ['metafields'],
          message: 'Exceeded the maximum metafields input limit of 25.',
          code: 'LESS_THAN_OR_EQUAL_TO',
          elementIndex: null,
        },
      ],
    });
    expect((await set(store, ...many.slice(1))).metafields).toHaveLength(25);
  });

  it('writes a key twice that is given twice: the last one wins', async () => {
    const store = await shop();
    const { metafields } = await set(store, entry({ value: 'one' }), entry({ value: 'two' }));
    expect(metafields.map((each) => each.value)).toEqual(['one', 'two']);
    expect(stored(store)).toEqual({ 'catalog.fit': 'two' });
  });

  it('writes to variants as well', async () => {
    const store = await shop();
    const ownerId = store.products.get(OWNER)!.variants[0]!.gid;
    const { metafields } = await set(store, entry({ ownerId }));
    expect(metafields[0]!.ownerType).toBe('PRODUCTVARIANT');
    expect(store.products.get(OWNER)!.variants[0]!.metafields).toHaveLength(1);
  });

  it("puts an entry without a namespace into the app's own", async () => {
    const store = await shop();
    const { metafields } = await set(store, entry({ namespace: undefined }));
    expect(metafields[0]!.namespace).toMatch(/^app--\d+$/);
  });

  it.each([
    [{ namespace: 'ab' }, 'namespace', 'TOO_SHORT'],
    [{ namespace: 'n'.repeat(256) }, 'namespace', 'TOO_LONG'],
    [{ key: 'x' }, 'key', 'TOO_SHORT'],
    [{ key: 'k'.repeat(65) }, 'key', 'TOO_LONG'],
    [{ namespace: 'protected' }, 'namespace', null],
    [{ namespace: 'app--1' }, undefined, 'APP_NOT_AUTHORIZED'],
    [{ type: undefined }, 'type', 'BLANK'],
    [{ type: 'colour' }, 'type', 'INVALID_TYPE'],
    [{ value: '  ' }, 'value', 'INVALID_VALUE'],
    [{ ownerId: 'gid://shopify/Product/1' }, 'ownerId', 'INVALID'],
  ])('refuses %j', async (fields, at, code) => {
    const { userErrors } = await set(await shop(), entry(fields));
    const field = ['metafields', '0', ...(at === undefined ? [] : [at])];
    expect(userErrors).toEqual([{ field, message: expect.any(String), code, elementIndex: null }]);
  });

  it('changes no time and sends no event when nothing changes', async () => {
    const store = await shop();
    await set(store, entry());
    const before = store.products.get(OWNER);
    await set(store, entry());
    expect(store.products.get(OWNER)).toBe(before);
  });
});

describe('compareDigest', () => {
  async function withValue(): Promise<{ store: RunningStoreSandbox; digest: string }> {
    const store = await shop();
    const { metafields } = await set(store, entry());
    return { store, digest: metafields[0]!.compareDigest };
  }

  it('lets a write pass that knows the present value', async () => {
    const { store, digest } = await withValue();
    expect((await set(store, entry({ value: 'Wide', compareDigest: digest }))).userErrors).toEqual([]);
    expect(stored(store)).toEqual({ 'catalog.fit': 'Wide' });
  });

  it.each([
    ['a digest of another value', '0'.repeat(64)],
    ['a malformed one', 'nonsense'],
    ['null, although there is a value', null],
  ])('stops a write with %s: STALE_OBJECT, the entry in field[1]', async (_name, compareDigest) => {
    const { store } = await withValue();
    const { metafields, userErrors } = await set(
      store,
      entry({ key: 'other' }),
      entry({ value: 'Wide', compareDigest }),
    );
    expect(metafields).toEqual([]);
    expect(userErrors).toEqual([
      { field: ['metafields', '1'], message: expect.any(String), code: 'STALE_OBJECT', elementIndex: null },
    ]);
    expect(stored(store)).toEqual({ 'catalog.fit': 'Slim' });
  });

  it('does not stop a write of the present value, however wrong it is', async () => {
    const { store } = await withValue();
    expect((await set(store, entry({ compareDigest: 'nonsense' }))).userErrors).toEqual([]);
  });

  it('of a row that does not exist is INVALID_COMPARE_DIGEST; null creates it', async () => {
    const store = await shop();
    const { userErrors } = await set(store, entry({ compareDigest: '0'.repeat(64) }));
    expect(userErrors).toEqual([
      {
        field: ['metafields', '0'],
        message: 'Invalid `compareDigest` value.',
        code: 'INVALID_COMPARE_DIGEST',
        elementIndex: null,
      },
    ]);
    expect((await set(store, entry({ compareDigest: null }))).userErrors).toEqual([]);
  });

  it('depends on the content alone, so that A to B to A goes unnoticed', async () => {
    const { store, digest } = await withValue();
    await set(store, entry({ value: 'Wide' }));
    await set(store, entry({ value: 'Slim' }));
    const { userErrors } = await set(store, entry({ value: 'Narrow', compareDigest: digest }));
    expect(userErrors).toEqual([]);
    const { metafields } = await set(
      store,
      entry({ ownerId: 'gid://shopify/Product/8000000000002', key: 'other' }),
    );
    expect(metafields[0]!.compareDigest).toBe(digest);
  });
});

describe('metafieldsDelete', () => {
  it('gives null for what is not there, without an error', async () => {
    const store = await shop();
    await set(store, entry());
    const wanted = { ownerId: OWNER, namespace: 'catalog', key: 'fit' };
    const metafields = [
      wanted,
      { ...wanted, key: 'absent' },
      { ...wanted, ownerId: 'gid://shopify/Product/1' },
    ];
    const { body } = await call(store, DELETE, { metafields });
    expect(body.data.metafieldsDelete).toEqual({ deletedMetafields: [wanted, null, null], userErrors: [] });
    expect(stored(store)).toEqual({});
  });
});

describe('reading metafields', () => {
  it('by namespace, by keys, one at a time', async () => {
    const store = await sandbox();
    store.loadCsv(
      csv({
        Handle: 'a',
        Title: 'A',
        'Material (product.metafields.custom.material)': 'Wool',
        'Care (product.metafields.custom.care)': 'Cold.\nFlat.',
      }),
    );
    await set(store, entry());
    const query = `{ product(id: "${OWNER}") {
      custom: metafields(first: 9, namespace: "custom") { nodes { key type value } }
      named: metafields(first: 9, keys: ["catalog.fit"]) { nodes { key } }
      one: metafield(namespace: "custom", key: "material") { value } none: metafield(namespace: "custom", key: "x") { value } } }`;
    expect((await call(store, query)).body.data.product).toEqual({
      custom: {
        nodes: [
          { key: 'material', type: TEXT, value: 'Wool' },
          { key: 'care', type: 'multi_line_text_field', value: 'Cold.\nFlat.' },
        ],
      },
      named: { nodes: [{ key: 'fit' }] },
      one: { value: 'Wool' },
      none: null,
    });
  });
});

describe('values', () => {
  it.each([
    ['boolean', '1', 'true'],
    ['boolean', ' TRUE ', 'true'],
    ['boolean', 'f', 'false'],
    ['number_integer', '5.0', '5'],
    ['number_integer', '5.000', '5'],
    ['number_integer', '-12', '-12'],
    ['number_decimal', '1.1234567891', '1.123456789'],
    ['number_decimal', '7', '7.0'],
    ['date_time', '2022-06-01T15:30:00', '2022-06-01T15:30:00+00:00'],
    ['date_time', '2022-06-01T15:30:00.123Z', '2022-06-01T15:30:00+00:00'],
    ['date_time', '2022-06-01T15:30:00+02:00', '2022-06-01T15:30:00+02:00'],
    ['dimension', '{"value":25,"unit":"cm"}', '{"value":25.0,"unit":"CM"}'],
    ['weight', '{"unit":"kg","value":2.5}', '{"value":2.5,"unit":"KG"}'],
    [
      'rating',
      '{"value":"3.5","scale_max":"5.0","scale_min":"1.0"}',
      '{"scale_min":"1.0","scale_max":"5.0","value":"3.5"}',
    ],
    ['single_line_text_field', '  spaced  ', '  spaced  '],
    ['json', '{"b":1,"a":[2]}', '{"b":1,"a":[2]}'],
    ['url', 'https://example.com/x', 'https://example.com/x'],
    ['list.single_line_text_field', '["b", "a"]', '["b","a"]'],
    ['list.number_integer', '[1, "2.0"]', '[1,"2"]'],
  ])('%s %s is stored as %s', (type, given, value) => {
    expect(isMetafieldType(type)).toBe(true);
    expect(normaliseMetafieldValue(type, given)).toEqual({ value });
  });

  it.each([
    ['boolean', 'yes', 'Value must be true or false.'],
    ['number_integer', '+5', 'Value must be an integer.'],
    ['number_integer', '5.5', 'Value must be an integer.'],
    ['number_decimal', 'a lot', 'Value must be a decimal.'],
    ['date', '19.11.2026', 'Value must be in YYYY-MM-DD format.'],
    [
      'date_time',
      'tomorrow',
      'Value must be in “YYYY-MM-DDTHH:MM:SS” format. For example: 2022-06-01T15:30:00',
    ],
    ['color', 'blue', 'Value must be a hex color code.'],
    ['json', '{nope', 'Value is invalid JSON.'],
    ['url', 'ftp://x', 'Value must be one of the following URL schemes: http, https, mailto, sms, tel.'],
    ['money', '{"amount":"abc","currency_code":"USD"}', 'Value must have a numeric amount.'],
    ['single_line_text_field', 'two\nlines', 'Value must be a single line text string.'],
    ['list.boolean', '[true]', 'Type'],
    ['list.number_integer', '[1.5]', 'Value must be an integer.'],
    ['list.url', '"https://example.com"', 'Value must be an array.'],
    ['json', ' ', "Value can't be blank."],
  ])('%s %s is refused', (type, given, problem) => {
    if (problem === 'Type') expect(isMetafieldType(type)).toBe(false);
    else expect(normaliseMetafieldValue(type, given)).toEqual({ problem });
  });

  it('jsonValue is the parsed value; false stays text', () => {
    expect(metafieldJson('boolean', 'true')).toBe(true);
    expect(metafieldJson('boolean', 'false')).toBe('false');
    expect(metafieldJson('number_integer', '5')).toBe(5);
    expect(metafieldJson('number_decimal', '1.5')).toBe('1.5');
    expect(metafieldJson('list.url', '["https://example.com"]')).toEqual(['https://example.com']);
  });
});
