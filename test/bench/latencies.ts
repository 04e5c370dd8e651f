import { setTimeout as sleep } from 'node:timers/promises';
import { edit, fill } from '../support/e2e-products.js';
import { World } from '../support/e2e-world.js';
import { atMost, quantile, type Take } from './figure.js';

const ROUNDS = 8;
const EVENT_SECRET = 'events-of-the-bench-0123456789';
const LOOK_MS = 50;
/** Products of the second store, whose full runs follow one another. */
const BUSY_PRODUCTS = 250;

/**
 * From an edit in the shop, announced by an event, to the catalog; and from the service's first delivery of a result to the shop. Both
 * sides are the sandboxes, and a second store's full runs go on in the second half.
 */
export async function benchLatencies(share: number, take: Take): Promise<void> {
  const world = await World.open({
    stores: ['main', 'busy'],
    store: { webhookSecret: EVENT_SECRET },
    settings: {
      workspaces: { default: { requestsPerSecond: 50 } },
      stores: { main: { webhookSecret: EVENT_SECRET } },
    },
  });
  try {
    const rounds = Math.max(3, Math.round(ROUNDS * share));
    const products = fill(world.store, rounds);
    fill(world.storeOf('busy'), Math.round(BUSY_PRODUCTS * share));
    await world.start();
    await world.runToEnd({ store: 'main' });
    // A first load is not what the second half is about: its results would wait for the limit of requests.
    await world.runToEnd({ store: 'busy' });
    await world.settled();
    for (const beside of ['alone', 'beside full runs']) {
      const stopping = new AbortController();
      const busy = beside === 'alone' ? Promise.resolve() : runsUntil(world, stopping.signal);
      const toCatalog: number[] = [];
      const [{ now: from } = { now: '' }] = await world.rows<{ now: string }>('SELECT now()::text AS now');
      for (const product of products) {
        const mark = `Maker ${beside} ${String(product.id)}`;
        const edited = performance.now();
        edit(world.store, product, { vendor: mark });
        await until(() => isInCatalog(world, product.handle, mark));
        toCatalog.push((performance.now() - edited) / 1000);
      }
      stopping.abort();
      await busy;
      await world.settled();
      // A delivery is stored milliseconds after the service's first attempt.
      const written = await world.rows<{ seconds: number }>(
        `SELECT extract(epoch FROM write_back.settled_at - received_at)::float8 AS seconds FROM write_back
         JOIN webhook_delivery ON webhook_delivery.id = delivery_id WHERE write_back.state = 'applied' AND store = 'main' AND received_at > $1`,
        [from],
      );
      const toShop = written.map(({ seconds }) => seconds);
      take(
        atMost(`an edit in the shop is in the catalog, ${beside}: median`, quantile(toCatalog, 0.5), 's', 5),
        atMost(
          `a result that was delivered is in the shop, ${beside}: p95`,
          quantile(toShop, 0.95),
          's',
          beside === 'alone' ? 2 : 5,
        ),
      );
    }
  } finally {
    await world.end();
  }
}

/** `fill` gives each product a SKU with its handle. */
async function isInCatalog(world: World, handle: string, brand: string): Promise<boolean> {
  const { body } = await world.catalogApi('GET', `/products/?search=SKU-${handle}`);
  return JSON.stringify(body).includes(brand);
}

async function runsUntil(world: World, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await world.runToEnd({ store: 'busy' });
}

async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await sleep(LOOK_MS);
}
