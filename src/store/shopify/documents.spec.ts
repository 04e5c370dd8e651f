import { describe, expect, it } from '@jest/globals';
import {
  type DocumentNode,
  isListType,
  Kind,
  getNullableType,
  NoDeprecatedCustomRule,
  parse,
  specifiedRules,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { realSchema, storeDocuments } from '../../../test/support/store/admin-api.js';
import { bulkProductsText, moreVariants, productDetails } from './documents.js';

const schema = realSchema();
const DOCUMENTS = await storeDocuments();
const problems = (document: DocumentNode): string[] =>
  validate(schema, document, [...specifiedRules, NoDeprecatedCustomRule]).map(({ message }) => message);

describe('documents', () => {
  it('are all found', () => {
    const names = DOCUMENTS.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'MetafieldDefinitions',
        'MetafieldDefinitionCreate',
        'TagsAdd',
        'MoreVariants',
      ]),
    );
    expect(names.length).toBeGreaterThanOrEqual(33);
  });

  it.each(DOCUMENTS.map((document) => [document.name, document] as const))(
    '%s passes the real schema of 2026-10 without deprecated fields, and is named as it says',
    (name, document) => {
      const parsed = parse(document.text);
      expect(problems(parsed)).toEqual([]);
      expect(parsed.definitions).toMatchObject([
        { operation: document.mutation ? 'mutation' : 'query', name: { value: name } },
      ]);
    },
  );

  it.each(['ids.mpn', 'app--42.a-b', 'with:colon.key'])(
    'pass it with the metafield %s of variants',
    (name) => {
      const names = [name, 'ids.asin'];
      for (const { text } of [productDetails(names), moreVariants(names)])
        expect(problems(parse(text))).toEqual([]);
      expect(problems(parse(bulkProductsText('', names)))).toEqual([]);
    },
  );

  it('avoid what the final 2026-10 changes', () => {
    for (const { text } of DOCUMENTS) expect(text).not.toMatch(/\btranslatable\b|TranslatableResourceType/);
  });
});

describe('the bulk query', () => {
  const text = bulkProductsText(`status:active tag:"a \\ b" title:'ü'`);
  const document = parse(text);

  it('passes the real schema, with any search in it', () => {
    expect(problems(document)).toEqual([]);
    const [definition] = document.definitions;
    const products =
      definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections[0] : undefined;
    const search = products?.kind === Kind.FIELD ? products.arguments?.[0]?.value : undefined;
    expect(search).toMatchObject({ kind: 'StringValue', value: `status:active tag:"a \\ b" title:'ü'` });
  });

  it('keeps to the validator’s rules', () => {
    const info = new TypeInfo(schema);
    let connections = 0;
    let depth = 0;
    let deepest = 0;
    let inList = 0;
    visit(
      document,
      visitWithTypeInfo(info, {
        Field: {
          enter(node) {
            expect(node.name.value).not.toBe('nodes');
            const type = getNullableType(info.getType());
            const isConnection = String(type).endsWith('Connection');
            if (isConnection) {
              expect(inList).toBe(0);
              connections++;
              // Of `products > variants > media`, the last one is two levels deep: the outermost does not count.
              deepest = Math.max(deepest, depth++);
            } else if (isListType(type) && node.name.value !== 'edges') inList++;
            if (node.name.value === 'id') expect(node.alias).toBeUndefined();
          },
          leave(node) {
            const type = getNullableType(info.getType());
            if (String(type).endsWith('Connection')) depth--;
            else if (isListType(type) && node.name.value !== 'edges') inList--;
          },
        },
      }),
    );
    expect(connections).toBeLessThanOrEqual(5);
    expect(deepest).toBeLessThanOrEqual(2);
    expect(Buffer.byteLength(text)).toBeLessThan(65_535);
  });
});
