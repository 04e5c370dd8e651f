import type { SourceProduct } from '../domain/store-port.js';
import type { GoneLink } from '../persistence/plan-identities.js';
import type { Plan } from '../persistence/plan.js';
import type { Store } from '../connections/connections.js';
import { Findings, planFound, type Tally } from './planned-batch.js';

/** The store is asked for so many products at once. */
const READ_AT_ONCE = 50;

/**
 * Plans products again that the read showed and the catalog no longer has: when they were planned, the listing was still being read. The
 * read has ended, so the store is asked for them by id. A product that has left the store meanwhile keeps its plan: the next run finds
 * it missing.
 */
export async function planAgain(
  plan: Plan,
  store: Store,
  gone: readonly GoneLink[],
  tally: Tally,
): Promise<void> {
  if (gone.length === 0) return;
  const seen = await plan.reads.seenOf(gone.map(({ externalId }) => externalId));
  const wanted = gone.filter(({ externalId }) => seen.has(externalId));
  for (let from = 0; from < wanted.length; from += READ_AT_ONCE) {
    const storeIds = wanted.slice(from, from + READ_AT_ONCE).map(({ storeId }) => storeId);
    const read = await store.connector.readProducts(storeIds);
    await planEach(
      plan,
      store,
      read.filter((product) => product !== null),
      tally,
    );
  }
}

async function planEach(
  plan: Plan,
  store: Store,
  products: readonly SourceProduct[],
  tally: Tally,
): Promise<void> {
  const findings = new Findings();
  const ids = products.map(({ externalId }) => externalId);
  const links = await plan.reads.links(ids);
  const hadActions = await plan.actions.withdraw(ids);
  for (const product of products) {
    const { externalId } = product;
    const found = planFound(store, product, links.get(externalId) ?? null, findings);
    if (found === null) continue;
    if (!hadActions.has(externalId)) tally.unchanged -= 1;
    if (found === 'unchanged') tally.unchanged += 1;
  }
  await findings.write(plan);
}
