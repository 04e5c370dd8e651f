import { WooConnector, type WooOptions } from '../../../src/store/woocommerce/connector.js';
import { WooClient } from '../../../src/store/woocommerce/client.js';
import type { ProductSnapshot } from '../../../src/domain/snapshot.js';
import {
  liveValue,
  type LiveValue,
  type ReadPart,
  type SourceProduct,
  type TargetWrite,
  type WriteOutcome,
} from '../../../src/domain/store-port.js';
import { startTestShop, type TestShop, type TestShopOptions } from './test-shop.js';

export const STORE_ID = '7d0d1b52-6a8e-4c7c-9d2f-3f0d3a5e9b11';

const open: { close(): Promise<unknown> }[] = [];

/** Closes it with `closeShops`. */
function closeLater(each: { close(): unknown }): void {
  open.push({ close: () => Promise.resolve(each.close()) });
}

/** Ends all shops and connectors of a test. */
export async function closeShops(): Promise<void> {
  await Promise.all(open.splice(0).map((each) => each.close()));
}

/** A shop with so many products: `P1` has the description `Text 1` and the SKU `S1`. */
export async function shopWith(count: number, options: TestShopOptions = {}): Promise<TestShop> {
  const shop = await startTestShop({ storeId: STORE_ID, ...options });
  closeLater({ close: () => shop.stop() });
  for (let number = 1; number <= count; number += 1)
    shop.products.create({
      row: { name: `P${String(number)}`, description: `Text ${String(number)}` },
      sku: `S${String(number)}`,
    });
  return shop;
}

export function connect(shop: TestShop, options: Partial<WooOptions> = {}): WooConnector {
  const key = { consumerKey: shop.consumerKey, consumerSecret: shop.consumerSecret };
  const connector = new WooConnector({ url: shop.url, key, namespace: 'catalog', attempts: 2, ...options });
  closeLater(connector);
  return connector;
}

/** Requests of a test's own to the shop. */
export function clientOf(shop: TestShop): WooClient {
  const key = { consumerKey: shop.consumerKey, consumerSecret: shop.consumerSecret };
  const client = new WooClient({ url: shop.url, key });
  closeLater(client);
  return client;
}

export async function whole(
  connector: WooConnector,
): Promise<{ readonly products: ProductSnapshot[]; readonly end: ReadPart | undefined }> {
  const products: ProductSnapshot[] = [];
  let end: ReadPart | undefined;
  for await (const part of connector.readWhole(null, () => Promise.resolve())) {
    if ('products' in part) products.push(...part.products.map((product) => product.snapshot()));
    else end = part;
  }
  return { products, end };
}

/** Every product of the shop, not parsed yet. */
export async function sources(connector: WooConnector): Promise<SourceProduct[]> {
  const found: SourceProduct[] = [];
  for await (const part of connector.readWhole(null, () => Promise.resolve()))
    if ('products' in part) found.push(...part.products);
  return found;
}

export function write(target: string, value: string | null, expected: string | null): TargetWrite {
  return { target, value, expected, token: null };
}

export async function written(
  connector: WooConnector,
  id: number,
  ...writes: readonly TargetWrite[]
): Promise<WriteOutcome[]> {
  const outcomes: WriteOutcome[] = [];
  for await (const some of connector.write(String(id), writes)) outcomes.push(...some);
  return outcomes;
}

export async function valueIn(connector: WooConnector, id: number, target: string): Promise<LiveValue> {
  const live = await connector.readTargets(String(id), [target]);
  if (live === null) throw new Error('the product is gone');
  return liveValue(live, target);
}

/** The one product of a shop. */
export function idIn(shop: TestShop): number {
  const [product] = shop.products.list();
  if (product === undefined) throw new Error('the shop is empty');
  return product.id;
}

export function requests(shop: TestShop, method: string): number {
  return shop.requests.filter((each) => each.method === method).length;
}
