import type { SandboxProduct } from '../../src/sandbox/store/index.js';
import type { TestStore } from '../support/sandbox/test-store.js';
import type { World } from '../support/e2e-world.js';
import type { Sent } from './deliveries.js';

export interface History {
  readonly world: World;
  readonly sent: readonly Sent[];
  /** The merchants' edits during the test, by external id. These fields must keep their values. */
  readonly edits?: ReadonlyMap<string, { readonly title?: string }>;
  /** Catalog ids of products with another owner's external_id, and the requests that the catalog answered. */
  readonly foreign?: {
    readonly ids: readonly string[];
    readonly requests: readonly { method: string; path: string }[];
  };
}

export interface Verdict {
  /** Acknowledged, and yet not in the inbox, not settled, or without its effect and without a reason. */
  readonly lost: string[];
  /** Effects that happened twice. */
  readonly doubled: string[];
  /** 4xx to deliveries that were genuine. */
  readonly refused: string[];
  /** Other violations. */
  readonly broken: string[];
  readonly counts: Record<string, number>;
}

interface DeliveryRow {
  id: string;
  dedupe_key: string;
  state: string;
  note: string | null;
  action: string | null;
}
interface WriteBackRow {
  id: string;
  external_id: string;
  delivery_id: string | null;
  state: string;
  reason: string | null;
  fields: { target: string; outcome: string; after: string | null }[];
}

/**
 * Compares the final state with everything that was sent to both sides. Call it when all work has ended: work that has
 * not is reported, too.
 */
export async function checkHistory(history: History): Promise<Verdict> {
  const { world } = history;
  const deliveries = await world.rows<DeliveryRow>(
    `SELECT id, dedupe_key, state, note, action FROM webhook_delivery`,
  );
  const writeBacks = await world.rows<WriteBackRow>(
    `SELECT id, external_id, delivery_id, state, reason, fields FROM write_back`,
  );
  const verdict: Verdict = {
    lost: [],
    doubled: [],
    refused: [],
    broken: [],
    counts: { deliveries: deliveries.length, writeBacks: writeBacks.length },
  };
  checkReceipt(history, deliveries, verdict);
  checkResults(deliveries, writeBacks, verdict);
  checkWrites(history, writeBacks, verdict);
  checkMerchant(history, verdict);
  checkForeign(history, verdict);
  await checkEnds(world, verdict);
  return verdict;
}

/** Every delivery got a 2xx in the end and stands in the inbox once. */
function checkReceipt(history: History, rows: readonly DeliveryRow[], verdict: Verdict): void {
  const stored = Map.groupBy(rows, (row) => row.dedupe_key);
  for (const { delivery, statuses, acknowledged } of history.sent) {
    if (statuses.some((status) => status !== null && status >= 400 && status < 500))
      verdict.refused.push(`${delivery.key}: ${statuses.join(', ')}`);
    const count = stored.get(delivery.key)?.length ?? 0;
    if (acknowledged > 0 && count === 0) verdict.lost.push(`${delivery.key}: acknowledged, not in the inbox`);
    if (acknowledged === 0) verdict.lost.push(`${delivery.key}: never acknowledged`);
    if (count > 1) verdict.doubled.push(`${delivery.key}: ${String(count)} rows in the inbox`);
  }
}

/** Every settled generation led to one write-back or says why it did not. */
function checkResults(
  deliveries: readonly DeliveryRow[],
  writeBacks: readonly WriteBackRow[],
  verdict: Verdict,
): void {
  const byDelivery = Map.groupBy(writeBacks, (row) => row.delivery_id);
  for (const row of deliveries) {
    if (row.state === 'received') verdict.lost.push(`${row.dedupe_key}: not settled`);
    if ((row.note ?? '') === '') verdict.broken.push(`${row.dedupe_key}: ${row.state} without a note`);
    if (row.action !== 'product_generated') continue;
    const own = byDelivery.get(row.id)?.length ?? 0;
    if (own > 1) verdict.doubled.push(`${row.dedupe_key}: ${String(own)} write-backs`);
    if (row.state === 'processed' && own === 0 && !(row.note ?? '').startsWith('generated'))
      verdict.lost.push(`${row.dedupe_key}: ${row.state}, ${String(row.note)}`);
    if (row.state !== 'processed' && row.state !== 'received')
      verdict.lost.push(`${row.dedupe_key}: ${row.state}: ${String(row.note)}`);
  }
  for (const row of writeBacks) {
    if (row.state === 'ready') verdict.lost.push(`write-back ${row.id}: not worked`);
    if (row.state === 'failed') verdict.lost.push(`write-back ${row.id}: failed: ${String(row.reason)}`);
    if ((row.reason ?? '') === '') verdict.broken.push(`write-back ${row.id}: ${row.state} without a reason`);
  }
}

/** Each value that the journal has as written reached the store once, and the store received nothing else. */
function checkWrites(history: History, writeBacks: readonly WriteBackRow[], verdict: Verdict): void {
  const writes = storesOf(history).flatMap((store) =>
    storeWrites(store).map((write) => ({ ...write, product: `${store.shop} ${write.product}` })),
  );
  verdict.counts['storeWrites'] = writes.length;
  const times = Map.groupBy(writes, (write) => `${write.product} ${write.field} ${write.value}`);
  for (const [what, same] of times)
    if (same.length > 1) verdict.doubled.push(`${what.slice(0, 120)}: written ${String(same.length)} times`);
  const applied = writeBacks.filter((row) => row.state === 'applied');
  verdict.counts['applied'] = applied.length;
  const journaled = new Set<string>();
  for (const row of applied) {
    for (const field of row.fields) {
      if (field.outcome !== 'written') continue;
      journaled.add(`${productOf(row.external_id)} ${field.target}`);
    }
  }
  const reached = new Set(writes.map((write) => `${write.product} ${write.field}`));
  for (const place of journaled)
    if (!reached.has(place)) verdict.lost.push(`${place}: journaled, and the store never received it`);
  for (const place of reached)
    if (!journaled.has(place)) verdict.broken.push(`${place}: written, and not in the journal`);
}

/** A field that a merchant edited is theirs. */
function checkMerchant(history: History, verdict: Verdict): void {
  for (const [externalId, { title }] of history.edits ?? []) {
    const live = productBehind(storesOf(history), externalId);
    if (title !== undefined && live?.title !== title)
      verdict.broken.push(
        `${externalId}: the merchant's title "${title}" was overwritten by "${live?.title ?? ''}"`,
      );
  }
}

function checkForeign(history: History, verdict: Verdict): void {
  const { ids = [], requests = [] } = history.foreign ?? {};
  for (const { method, path } of requests) {
    if (method !== 'GET' && ids.some((id) => path.includes(`/products/${id}/`)))
      verdict.broken.push(`somebody else's product was touched: ${method} ${path}`);
  }
}

/** Runs and tasks all reach an end. */
async function checkEnds(world: World, verdict: Verdict): Promise<void> {
  const runs = await world.rows<{ id: string; state: string }>(
    `SELECT id, state FROM sync_run WHERE state IN ('queued', 'running')`,
  );
  for (const { id, state } of runs) verdict.broken.push(`run ${id} is still ${state}`);
  const tasks = await world.rows<{ external_id: string }>(
    `SELECT external_id FROM generation_task WHERE state = 'requested'`,
  );
  for (const { external_id } of tasks) verdict.lost.push(`the task of ${external_id} has no end`);
  const slots = await world.rows<{ store: string; slot: Date }>(
    'SELECT store, slot FROM sync_run WHERE slot IS NOT NULL GROUP BY store, slot HAVING count(*) > 1',
  );
  for (const { store, slot } of slots)
    verdict.doubled.push(`slot ${slot.toISOString()} of ${store} had several runs`);
}

export interface StoreWrite {
  readonly product: string;
  readonly field: string;
  readonly value: string;
}

/** Every field value that the store received, in order. */
export function storeWrites(store: TestStore): StoreWrite[] {
  return store.mutations.flatMap(({ name, input }) => {
    if (name !== 'productUpdate' || !isRecord(input) || !isRecord(input['product'])) return [];
    const { id, ...fields } = input['product'];
    return Object.entries(fields).map(([field, value]) => ({
      product: String(id),
      field,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    }));
  });
}

function storesOf({ world }: History): readonly TestStore[] {
  return [...world.stores.values()];
}

/** The product behind an external_id, as it is in its store. */
export function productBehind(stores: readonly TestStore[], externalId: string): SandboxProduct | undefined {
  const [, shop = '', id = ''] = externalId.split(':');
  return stores.find((store) => store.shop === shop)?.products.get(`gid://shopify/Product/${id}`);
}

/** The shop and the store's id of the product behind an external_id. */
function productOf(externalId: string): string {
  const [, shop = '', id = ''] = externalId.split(':');
  return `${shop} gid://shopify/Product/${id}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
