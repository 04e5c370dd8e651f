import type { SourceProduct } from '../domain/store-port.js';
import type { Store } from '../connections/connections.js';

/** The store is asked for so many products at once. */
const ASKED_AT_ONCE = 50;

export interface AskedProducts<T> {
  /** The store does not know their ids: they have left it. */
  readonly gone: readonly T[];
  /** The store has them. */
  readonly found: readonly SourceProduct[];
}

/**
 * Asks the store for products by id, some at a time. Nothing is marked as gone, removed or blanked without this answer: a search or an
 * export may leave a product out that exists, because its index lags behind or its status is new to us.
 */
export async function* askById<T extends { readonly storeId: string }>(
  store: Pick<Store, 'connector'>,
  products: readonly T[],
): AsyncGenerator<AskedProducts<T>> {
  for (let from = 0; from < products.length; from += ASKED_AT_ONCE) {
    const chunk = products.slice(from, from + ASKED_AT_ONCE);
    const answers = await store.connector.readProducts(chunk.map(({ storeId }) => storeId));
    yield {
      gone: chunk.filter((_product, index) => answers[index] === null),
      found: answers.filter((answer) => answer !== null),
    };
  }
}

/** The external ids of those products that the store has, asked for by id. */
export async function presentOf(
  store: Pick<Store, 'connector'>,
  products: readonly { readonly storeId: string }[],
): Promise<ReadonlySet<string>> {
  const present = new Set<string>();
  for await (const { found } of askById(store, products))
    for (const { externalId } of found) present.add(externalId);
  return present;
}
