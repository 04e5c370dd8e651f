import type { SourceProduct } from '../domain/store-port.js';
import type { StoreLink } from '../persistence/plan-identities.js';
import type { Plan } from '../persistence/plan.js';
import type { Store } from '../connections/connections.js';
import { askById } from './absence.js';
import { Findings, planFound, type Tally } from './planned-batch.js';

/**
 * Plans products again that the read showed and the catalog no longer has: when they were planned, the listing was still being read. The
 * read has ended, so the store is asked for them by id. A product that has left the store meanwhile keeps its plan: the next run finds
 * it missing.
 */
export async function planAgain(
  plan: Plan,
  store: Store,
  gone: readonly StoreLink[],
  tally: Tally,
): Promise<void> {
  if (gone.length === 0) return;
  const seen = await plan.reads.seenOf(gone.map(({ externalId }) => externalId));
  const wanted = gone.filter(({ externalId }) => seen.has(externalId));
  for await (const { found } of askById(store, wanted)) await planEach(plan, store, found, tally);
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
