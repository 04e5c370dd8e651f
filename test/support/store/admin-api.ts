import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { buildClientSchema, type GraphQLSchema, type IntrospectionQuery } from 'graphql';
import type { StoreDocument } from '../../../src/store/shopify/document.js';
import { moreMetafields, moreVariants, productDetails } from '../../../src/store/shopify/documents.js';
import { sourceFiles } from '../source-files.js';

/** The real schema of Shopify's Admin API. */
export function realSchema(): GraphQLSchema {
  const file = new URL('../../fixtures/shopify/shopify-admin-2026-10.introspection.json.gz', import.meta.url);
  const content = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as { data: IntrospectionQuery };
  return buildClientSchema(content.data);
}

/** The documents of which the connector makes the text from its settings. */
const MADE: readonly StoreDocument[] = [
  productDetails(),
  productDetails(['custom.mpn'], ['fr', 'pt-BR'], ['fr', 'pt-BR']),
  moreVariants(),
  moreMetafields(),
  moreMetafields(['fr', 'pt-BR']),
];

/** Every document of the Shopify connector. Throws for one that is neither exported nor made here. */
export async function storeDocuments(): Promise<readonly StoreDocument[]> {
  const documents = [...MADE];
  const names = new Set<string>();
  for (const { path, text } of sourceFiles('src/store/shopify')) {
    if (path.endsWith('.spec.ts')) continue;
    const own = [...text.matchAll(/\b(?:query|mutation)\(\s*'(\w+)'/g)].map(([, name = '']) => name);
    if (own.length === 0) continue;
    for (const name of own) names.add(name);
    const members = Object.values((await import(`../../../${path.replace(/\.ts$/, '.js')}`)) as object);
    documents.push(...members.filter(isDocument));
  }
  const missing = [...names].filter((name) => documents.every((document) => document.name !== name));
  if (missing.length > 0) throw new Error(`unchecked documents: ${missing.join(', ')}`);
  return documents;
}

function isDocument(member: unknown): member is StoreDocument {
  return typeof member === 'object' && member !== null && 'repeatable' in member && 'text' in member;
}
