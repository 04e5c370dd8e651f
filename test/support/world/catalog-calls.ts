import { z } from 'zod';
import { callJson, type JsonAnswer } from './json-call.js';
import type { LoggedRequest } from '../../../src/sandbox/catalog/index.js';
import type { Services } from './services.js';

const entrySchema = z.looseObject({
  id: z.number(),
  external_id: z.string().nullable(),
  sku: z.string().nullable(),
  barcode: z.string().nullable(),
  name: z.string().nullable(),
});
const pageSchema = z.object({ count: z.number(), results: z.array(entrySchema) });
export type CatalogEntry = z.infer<typeof entrySchema>;

/** A call of the catalog's API with the program's own token. */
export function callCatalog(
  { catalog, catalogToken }: Services,
  method: string,
  path: string,
  body?: unknown,
): Promise<JsonAnswer> {
  return callJson(`${catalog.baseUrl}${path}`, catalogToken, method, body);
}

/** The catalog's parent and standalone products, oldest first. */
export async function catalogProducts(services: Services): Promise<CatalogEntry[]> {
  const products: CatalogEntry[] = [];
  for (let number = 1; ; number += 1) {
    const path = `/products/?page_size=500&sorting=asc&page=${String(number)}`;
    const { results, count } = pageSchema.parse((await callCatalog(services, 'GET', path)).body);
    products.push(...results);
    if (products.length >= count) return products;
  }
}

/** Requests to the catalog that may have changed something, as `METHOD /path`. */
export function catalogWrites({ catalog }: Services): readonly string[] {
  return catalog
    .requests()
    .filter(
      ({ method, path }) => method !== 'GET' && !path.startsWith('/login') && !path.startsWith('/refresh'),
    )
    .map(({ method, path }) => `${method} ${path}`);
}

/** `PATCH /products/{id}/` to the number of such requests. */
export function requestCounts(requests: readonly LoggedRequest[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { method, path } of requests) {
    const name = `${method} ${path.replaceAll(/\/\d+(?=\/)/g, '/{id}')}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
