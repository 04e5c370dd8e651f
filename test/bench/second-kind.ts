import { fileURLToPath } from 'node:url';
import { WooConnector } from '../../src/store/woocommerce/connector.js';
import { oauthParameters } from '../../src/store/woocommerce/oauth.js';
import { PRODUCT_FIELDS, VARIATION_FIELDS } from '../../src/store/woocommerce/schemas.js';
import { startChild, type Child } from '../support/child.js';
import { atMost, MEGABYTE, nearFloor, type Figure } from './figure.js';
import { Sides } from './sides.js';
import { BenchWorld } from './world.js';

const PROGRAM = fileURLToPath(new URL('second-kind-main.ts', import.meta.url));

interface Row {
  readonly id: number;
  readonly type: string;
}

interface Shop {
  readonly url: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
}

type Take = (...figures: readonly Figure[]) => void;

/** A whole read of a shop of WooCommerce, beside a bare script that asks for the same pages. */
export async function benchSecondKindRead(share: number, take: Take): Promise<void> {
  await withShop(Math.round(5_000 * share), async (shop, child, products) => {
    child.send('slow');
    await child.said('taken slow');
    const bare = await timed(() => bareRead(shop));
    const { url, ...key } = shop;
    const connector = new WooConnector({ url, key });
    const whole = await timed(async () => {
      for await (const part of connector.readWhole(null, () => Promise.resolve()))
        if ('products' in part) part.products.forEach((product) => product.snapshot());
    });
    await connector.close();
    const what = `whole read of ${products.toLocaleString('en-US')} products of WooCommerce`;
    take(nearFloor(`${what}, beside a bare script`, whole, bare, 1.3));
  });
}

/** The memory of a daemon that loads a shop of WooCommerce for the first time, and then finds nothing changed. */
export async function benchSecondKindRuns(share: number, take: Take): Promise<void> {
  await withShop(Math.round(20_000 * share), async ({ url, ...auth }, _child, products) => {
    const sides = await Sides.start();
    const large = { kind: 'woocommerce', url, auth };
    const world = await BenchWorld.open({
      catalogUrl: sides.catalogUrl,
      requestsPerSecond: 2000,
      stores: { large },
    });
    try {
      const daemon = await world.start();
      const first = await daemon.fullRun('large');
      if (first.run.counts.created !== products) throw new Error(JSON.stringify(first.run));
      await daemon.fullRun('large');
      const what = `peak memory of the daemon in full runs of ${products.toLocaleString('en-US')} products`;
      take(atMost(`${what} of WooCommerce`, (await daemon.peakBytes()) / MEGABYTE, 'MB', 400));
      await daemon.stop();
    } finally {
      await sides.stop();
      await world.close();
    }
  });
}

async function withShop(
  products: number,
  work: (shop: Shop, child: Child, products: number) => Promise<void>,
): Promise<void> {
  const child = startChild(PROGRAM, [String(products)]);
  try {
    await work(JSON.parse(await child.said('up ')) as Shop, child, products);
  } finally {
    await child.kill();
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** Products by pages, the variations of each page, and the ids of products once more, as any script would. */
async function bareRead(shop: Shop): Promise<void> {
  const edit = { context: 'edit', per_page: '100', orderby: 'id', order: 'asc' };
  const page = async (
    path: string,
    query: Record<string, string>,
  ): Promise<{ rows: Row[]; total: number }> => {
    const address = `${shop.url}/wp-json/wc/v3/${path}`;
    const search = new URLSearchParams(query);
    for (const [name, value] of Object.entries(oauthParameters(shop, 'GET', address, search)))
      search.append(name, value);
    const answer = await fetch(`${address}?${search.toString().replaceAll('+', '%20')}`);
    return { rows: (await answer.json()) as Row[], total: Number(answer.headers.get('x-wp-total')) };
  };
  const all = async (
    path: string,
    query: Record<string, string>,
    each: (rows: readonly Row[]) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> => {
    for (let number = 1; ; number += 1) {
      const { rows, total } = await page(path, { ...edit, ...query, page: String(number) });
      await each(rows);
      if (number * 100 >= total) return;
    }
  };
  await all('products', { _fields: PRODUCT_FIELDS }, async (rows) => {
    const parents = rows.filter(({ type }) => type === 'variable').map(({ id }) => id);
    if (parents.length > 0) await all('variations', { _fields: VARIATION_FIELDS, parent: parents.join(',') });
  });
  await all('products', { _fields: 'id' });
}
