import { setTimeout as sleep } from 'node:timers/promises';
import { chance } from '../fault/chance.js';
import { DeliverySender } from '../fault/deliveries.js';
import { Front } from '../fault/front.js';
import { checkHistory, type Verdict } from '../fault/history.js';
import { until } from '../support/until.js';
import { checkTitles, edit, shuffled, type SoakPlan } from './plan.js';
import { Fleet, WORKSPACE, type FleetOptions } from './fleet.js';
import { planFleet } from './fleet-plan.js';
import { RunningReplicas } from './running-replicas.js';
import { recordLeases, writesWithoutLease } from './write-leases.js';

export interface SoakOptions extends FleetOptions {
  readonly deliveries: number;
  /** Times that a replica is killed with SIGKILL. */
  readonly kills: number;
  /** Times that Redis is killed and starts again empty. */
  readonly redisKills: number;
  /** Times that the database server stops as by a crash. */
  readonly databaseCrashes: number;
  /** Times that a replica's connections to the database go silent. */
  readonly partitions: number;
  /** How long a partition lasts, in milliseconds. */
  readonly partitionMs: number;
  /** The share of partitions after which the silent connections are cut, as by a restarted proxy. */
  readonly cutShare: number;
  /** The most by which the clock of a replica is wrong, in milliseconds. */
  readonly skewMs: number;
  readonly seed: number;
  readonly log: (line: string) => void;
}

export interface SoakReport extends Verdict {
  /** Writes to a store by a replica that did not hold the product's lease. */
  readonly unheld: readonly string[];
  /** Requests that changed a product of a store. */
  readonly writes: number;
  /** The versions of both servers. */
  readonly server: string;
  /** Runs by their state. */
  readonly runs: Readonly<Record<string, number>>;
  readonly slots: number;
  readonly attempts: number;
  readonly repeated: number;
  readonly seconds: number;
}

/** From one disturbance to the next, in milliseconds. */
const CALM_MS = { least: 100, most: 2_500 };
const RESENT_SHARE = 0.1;
const REST_WITHIN_MS = 900_000;
/** On two cores, with the database and all replicas on them, a result takes some 35 ms. */
const EACH_WITHIN_MS = 50;
/** Deliveries that may be without an answer before the next disturbance: each holds several sockets of this process. */
const OPEN_MOST = 500;
const NEVER = '0 0 29 2 *';
const VENDOR = 'Vendor ';

/**
 * Delivers to replicas that are killed, cut off from their database and wrong about the time. Meanwhile Redis loses its data and
 * the database crashes. When everything has come to rest, it compares the outcome with what must be. The same seed gives the same
 * deliveries and disturbances.
 */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const began = performance.now();
  const random = chance(options.seed);
  const fleet = await Fleet.open(options);
  const replicas = new RunningReplicas(fleet, options, random);
  let front: Front | null = null;
  try {
    const plan = await firstNight(fleet, options, random);
    for (let replica = 0; replica < options.replicas; replica += 1) await replicas.start(replica);
    options.log(`seed ${String(options.seed)}: ${String(plan.deliveries.length)} deliveries`);
    front = await Front.start(fleet.addresses, random);
    const sender = new DeliverySender(
      `${front.url}/webhooks/catalog/${WORKSPACE}`,
      fleet.world.webhookSecret,
    );
    await torment(fleet, replicas, plan, sender, options, random);
    options.log('every replica is up');
    await sender.idle();
    await fleet.world.settled(REST_WITHIN_MS + options.deliveries * EACH_WITHIN_MS);
    for (const line of await replicas.stop()) options.log(line);
    options.log('every replica has stopped');
    await lastNight(fleet);
    return await verdictOf(fleet, plan, sender, began);
  } finally {
    front?.stop();
    await fleet.end();
  }
}

/** The first run of every store, by one undisturbed replica, and the results that will arrive. */
async function firstNight(fleet: Fleet, options: SoakOptions, random: () => number): Promise<SoakPlan> {
  const results = planFleet(fleet, options.deliveries, random);
  const daemon = await (await fleet.load(0, 0, { cron: NEVER })).start();
  await recordLeases(fleet.db);
  for (const store of fleet.keys) await fleet.world.requestRun({ store });
  await fleet.world.runsEnded(REST_WITHIN_MS);
  await daemon.terminate();
  const plan = await results();
  edit(fleet.stores, plan.edits);
  return plan;
}

/** A last full run of every store. It finds whatever an earlier run left undone. No replica lives any more that could hold a lease. */
async function lastNight(fleet: Fleet): Promise<void> {
  await fleet.world.database.expireLeases();
  const daemon = await (await fleet.load(0, 0, { cron: NEVER })).start();
  // A request joins a run that is open, and an interrupted one has read its store before the last edits.
  await fleet.world.runsEnded(REST_WITHIN_MS);
  for (const store of fleet.keys) await fleet.world.requestRun({ store });
  await fleet.world.runsEnded(REST_WITHIN_MS);
  await daemon.terminate();
}

/** Disturbance after disturbance, in an order of chance, each with its share of the deliveries. */
async function torment(
  fleet: Fleet,
  replicas: RunningReplicas,
  plan: SoakPlan,
  sender: DeliverySender,
  options: SoakOptions,
  random: () => number,
): Promise<void> {
  const disturbances = shuffled(
    [
      ...repeated(options.kills, () => replicas.killOne()),
      ...repeated(options.redisKills, () => replicas.loseRedis()),
      ...repeated(options.databaseCrashes, () => replicas.crashDatabase()),
      ...repeated(options.partitions, () => replicas.partitionOne()),
    ],
    random,
  );
  let sent = 0;
  for (const [index, disturb] of disturbances.entries()) {
    const share = Math.round((plan.deliveries.length * (index + 1)) / disturbances.length);
    const calmMs = CALM_MS.least + random() * (CALM_MS.most - CALM_MS.least);
    const deliveries = plan.deliveries.slice(sent, share);
    const again = deliveries.filter(() => random() < RESENT_SHARE);
    sent = share;
    const sending = sendOver([...deliveries, ...again], calmMs, sender);
    editVendor(fleet, index, random);
    await sleep(calmMs * random());
    await Promise.all([disturb(), sending]);
    await until('most deliveries are answered', () => sender.open <= OPEN_MOST, REST_WITHIN_MS);
    if ((index + 1) % 20 === 0 || index + 1 === disturbances.length)
      options.log(
        `${String(index + 1)} disturbances, ${String(sent)} deliveries sent, ${String(sender.open)} open`,
      );
  }
  await replicas.settle();
}

/** Sends the deliveries within `ms` milliseconds, five at a time. */
async function sendOver(
  deliveries: SoakPlan['deliveries'],
  ms: number,
  sender: DeliverySender,
): Promise<void> {
  for (const [index, delivery] of deliveries.entries()) {
    sender.send(delivery);
    if (index % 5 === 4) await sleep((ms * 5) / deliveries.length);
  }
}

/** A merchant changes what the next run has to push. */
function editVendor(fleet: Fleet, index: number, random: () => number): void {
  const store = fleet.stores[Math.floor(random() * fleet.stores.length)];
  const products = store?.products.list() ?? [];
  const product = products[Math.floor(random() * products.length)];
  if (store !== undefined && product !== undefined)
    store.products.merchantEdit(product.gid, { vendor: `${VENDOR}${String(index)}` });
}

async function verdictOf(
  fleet: Fleet,
  plan: SoakPlan,
  sender: DeliverySender,
  began: number,
): Promise<SoakReport> {
  const { db, stores } = fleet;
  const verdict = await checkHistory({ world: fleet.world, sent: sender.sent, edits: plan.edits });
  checkTitles(stores, plan, verdict);
  await checkCatalog(fleet, verdict);
  const runs = await db.query<{ state: string; count: string }>(
    'SELECT state, count(*) FROM sync_run GROUP BY state',
  );
  const slots = await db.query<{ count: string }>(
    'SELECT count(*) FROM (SELECT DISTINCT store, slot FROM sync_run WHERE slot IS NOT NULL) AS slots',
  );
  const version = await db.query<{ server_version: string }>('SHOW server_version');
  const statuses = sender.sent.flatMap((sent) => sent.statuses);
  await checkRuns(fleet, verdict);
  return {
    ...verdict,
    server: `PostgreSQL ${version.rows[0]?.server_version ?? ''}, ${(await fleet.redis?.version()) ?? 'no Redis'}`,
    writes: fleet.writes.length,
    unheld: await writesWithoutLease(db, fleet.writes),
    runs: Object.fromEntries(runs.rows.map(({ state, count }) => [state, Number(count)])),
    slots: Number(slots.rows[0]?.count ?? 0),
    attempts: statuses.length,
    repeated: statuses.filter((status) => status === null || status >= 500).length,
    seconds: Math.round((performance.now() - began) / 1000),
  };
}

/** No run fails permanently, and the last run of each store finds nothing that fails. */
async function checkRuns({ db }: Fleet, verdict: Verdict): Promise<void> {
  const { rows } = await db.query<{
    store: string;
    state: string;
    error: string | null;
    owed: string | null;
  }>(
    `SELECT *, (SELECT string_agg(external_id || ' ' || code, ', ') FROM owed_product WHERE owed_product.store = run.store) AS owed
     FROM (SELECT store, state, error FROM sync_run WHERE state = 'failed'
       UNION SELECT * FROM (SELECT DISTINCT ON (store) store, state, error FROM sync_run ORDER BY store, created_at DESC) AS last
         WHERE state <> 'succeeded') AS run`,
  );
  for (const { store, state, error, owed } of rows)
    verdict.broken.push(`a run of ${store} is ${state}: ${String(error)}, owed: ${String(owed)}`);
}

/** Each product of a store is in the catalog once, with the vendor that the merchant gave it. */
async function checkCatalog(fleet: Fleet, verdict: Verdict): Promise<void> {
  const entries = Map.groupBy(await fleet.world.catalogProducts(), (entry) => entry.external_id ?? '');
  let products = 0;
  for (const store of fleet.stores)
    for (const product of store.products.list()) {
      products += 1;
      const externalId = `shopify:${store.shop}:${String(product.id)}`;
      const [entry] = entries.get(externalId) ?? [];
      const count = entries.get(externalId)?.length ?? 0;
      const wasEdited = product.vendor.startsWith(VENDOR);
      if (wasEdited && entry !== undefined && entry['brand'] !== product.vendor)
        verdict.lost.push(`${externalId}: the catalog has ${String(entry['brand'])}, not ${product.vendor}`);
      if (count === 0) verdict.lost.push(`${externalId}: not in the catalog`);
      if (count > 1) verdict.doubled.push(`${externalId}: ${String(count)} times in the catalog`);
    }
  verdict.counts['products'] = products;
}

function repeated<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}
