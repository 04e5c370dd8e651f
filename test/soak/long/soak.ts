import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MOST_PAST } from '../../../src/domain/written-content.js';
import type { RunningStoreSandbox, SandboxProduct } from '../../../src/sandbox/store/index.js';
import { deliveryOf, DeliverySender } from '../../fault/deliveries.js';
import type { Program } from '../../support/e2e-program.js';
import { World } from '../../support/e2e-world.js';
import { MemoryProbe } from '../../support/memory-probe.js';
import { until } from '../../support/until.js';
import { rest } from '../sending.js';
import { FastClock } from './fast-clock.js';
import { compare } from './figures.js';
import { ageHistory, isPass, KEEP_DAYS, passedSince } from './retention.js';
import { sample } from './sample.js';

export interface LongSoakOptions {
  /** Hours by the clock of the daemon. */
  readonly hours: number;
  /** Runs of each store within these hours. */
  readonly nights: number;
  readonly deliveries: number;
  readonly stores: number;
  readonly products: number;
  /** Minutes that the hours should take. */
  readonly minutes: number;
  readonly log: (line: string) => void;
}

export interface LongSoakReport {
  /** A line for each figure. */
  readonly figures: readonly string[];
  /** Figures that grew by more than a tenth. */
  readonly grown: readonly string[];
  /** Products that do not say in the end what their last result said. */
  readonly lost: readonly string[];
  /** 4xx to valid deliveries. */
  readonly refused: readonly string[];
  /** Runs that failed, and a daemon that did not end with 0. */
  readonly broken: readonly string[];
  readonly runs: number;
  readonly attempts: number;
  readonly repeated: number;
  readonly seconds: number;
}

const HOUR_MINUTES = 60;
const SEND_EVERY_MS = 50;
/** Deliveries and results that may wait. Beyond, the sender waits, too. */
const OPEN_MOST = 300;
const REST_WITHIN_MS = 600_000;
/**
 * Edits of each product in an hour. A run stays in the history as long as it has the last change of a product, so every product changes
 * within the first hour.
 */
const EDITS_AN_HOUR = 1.25;
/** The row of a product remembers so many of its texts: those that were written before the last one. */
const RESULTS_TO_FULL_SIZE = MOST_PAST + 1;
/** Hours that start and samples take, in which nothing is sent. */
const IDLE_HOURS = 0.75;
/** Hours between the end of the sending and the pass of retention that may come just before. */
const LITTLE = 0.1;

/** One of the products in the order in which they get results. */
interface Linked {
  readonly store: RunningStoreSandbox;
  readonly product: SandboxProduct;
  readonly catalogId: number;
  takes: number;
}

/**
 * Runs a daemon for hours of a clock that is sped up, with deliveries all the time and a run of each store every few minutes. Compares
 * what it holds at the end with what it held after the first hour, or later, once its rows had their full size. Both times nothing is sent,
 * and all work is done.
 */
export async function runLongSoak(options: LongSoakOptions): Promise<LongSoakReport> {
  const began = performance.now();
  const clock = new FastClock((options.hours * HOUR_MINUTES) / options.minutes);
  const world = await openWorld(options, clock);
  try {
    const soak = await LongSoak.start(world, clock, options);
    // On a slow machine an hour is too short for rows of products to have their full size.
    await soak.feed(
      1,
      Math.min(options.deliveries / 2, options.stores * options.products * RESULTS_TO_FULL_SIZE),
    );
    const early = await soak.sample();
    await soak.feed(options.hours, options.deliveries);
    await soak.history();
    const late = await soak.sample();
    const { lines, grown } = compare(early, late);
    return {
      figures: lines,
      grown,
      ...(await soak.end()),
      seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    await world.end();
  }
}

async function openWorld({ stores, nights, hours }: LongSoakOptions, clock: FastClock): Promise<World> {
  const keys = Array.from({ length: stores }, (_, index) => `shop-${String(index)}`);
  const everyMinutes = Math.max(1, Math.floor((hours * HOUR_MINUTES) / nights));
  const cron = (index: number): string =>
    `${String((index * 7) % HOUR_MINUTES)} */${String(everyMinutes)} * * * *`;
  const world = await World.open({
    database: { cluster: 'long-soak' },
    catalog: { clock: clock.now },
    stores: keys,
    store: { clock: clock.now },
    settings: {
      database: { keepDays: KEEP_DAYS },
      workspaces: {
        default: {
          requestsPerSecond: 500,
          webhook: { register: false },
          generation: { mode: 'off' },
          tasks: { pollSeconds: 60 },
        },
      },
      stores: Object.fromEntries(keys.map((key, index) => [key, { schedule: { cron: cron(index) } }])),
    },
  });
  await clock.install(world.database);
  return world;
}

class LongSoak {
  private sent = 0;
  private edited = 0;
  private fedUntil = 0;
  private runs = 0;
  private readonly passes: string[] = [];

  private constructor(
    private readonly world: World,
    private readonly clock: FastClock,
    private readonly options: LongSoakOptions,
    private readonly daemon: Program,
    private readonly probe: MemoryProbe,
    private readonly linked: readonly Linked[],
    private readonly sender: DeliverySender,
  ) {}

  /** Starts the daemon, and waits for the first run of each store. */
  static async start(world: World, clock: FastClock, options: LongSoakOptions): Promise<LongSoak> {
    const products = new Map([...world.stores].map(([key, store]) => [key, fill(store, options.products)]));
    const temporary = temporaryOf(world);
    await mkdir(temporary);
    const probe = new MemoryProbe(world.directory);
    const { option, env } = clock.preload;
    const daemon = await world.start({
      ...probe.env,
      ...env,
      NODE_OPTIONS: `${option} ${probe.env.NODE_OPTIONS}`,
      TMPDIR: temporary,
    });
    await ageHistory(world.database);
    for (const store of world.stores.keys()) await world.requestRun({ store });
    await until('the first runs have ended', () => runsAtRest(world));
    const ids = await catalogIds(world);
    const linked = [...products].flatMap(([key, filled]) =>
      filled.map((product) => linkedProduct(world.storeOf(key), product, ids)),
    );
    options.log(`${String(linked.length)} products of ${String(world.stores.size)} stores are linked`);
    const sender = new DeliverySender(world.webhookUrl, world.webhookSecret, clock.now);
    return new LongSoak(world, clock, options, daemon, probe, linked, sender);
  }

  /**
   * Sends deliveries at a steady rate until so many hours have passed and so many have been sent since the start. Then waits until they
   * are worked. Where the machine does not keep up, the rate is lower, and the run takes longer.
   */
  async feed(hours: number, least: number): Promise<void> {
    const { clock, sender, options } = this;
    let hour = Math.ceil(clock.hours);
    let at = clock.hours;
    const rate = options.deliveries / (options.hours - IDLE_HOURS);
    let due = 0;
    while (clock.hours < hours || this.sent < least) {
      const passed = clock.hours - at;
      at += passed;
      due = (await this.room()) ? due + passed * rate : 0;
      for (; due >= 1 && this.sent < options.deliveries; due -= 1) this.send();
      this.editUntil(at);
      if (at >= hour) {
        this.forget();
        options.log(
          `hour ${String(hour)}: ${String(this.sent)} deliveries sent, ${String(sender.open)} open`,
        );
        hour += 1;
      }
      await sleep(SEND_EVERY_MS);
    }
    this.fedUntil = clock.hours;
    await sender.idle();
    await rest(this.world, options.log, REST_WITHIN_MS);
    await until('no run is active', () => runsAtRest(this.world));
  }

  /**
   * Waits for the next pass of retention, which is due every six hours and so at the end of the 24th. Products change meanwhile, so that
   * the runs with their last changes are those of the last hour, as in the first sample.
   */
  async history(): Promise<void> {
    const since = this.clock.at(this.fedUntil - LITTLE);
    const passed = (): boolean => {
      this.editUntil(this.clock.hours);
      return passedSince([...this.passes, ...this.daemon.lines], since);
    };
    await until('retention removes what is old', passed, REST_WITHIN_MS);
    await until('no run is active', () => runsAtRest(this.world));
  }

  async sample(): Promise<Awaited<ReturnType<typeof sample>>> {
    this.options.log(`hour ${this.clock.hours.toFixed(2)}: sample`);
    return sample({
      pid: this.daemon.process.pid ?? 0,
      probe: this.probe,
      database: this.world.database,
      temporary: temporaryOf(this.world),
    });
  }

  /** Stops the daemon and says how the run went. */
  async end(): Promise<Omit<LongSoakReport, 'figures' | 'grown' | 'seconds'>> {
    const [row] = await this.world.rows<{ failed: string }>(
      `SELECT count(*) AS failed FROM sync_run WHERE state = 'failed'`,
    );
    const failed = Number(row?.failed ?? 0);
    this.forget();
    this.daemon.signal('SIGTERM');
    const status = await this.daemon.exit();
    const statuses = this.sender.sent.flatMap((sent) => sent.statuses);
    return {
      lost: this.linked.flatMap((linked) => lostTitle(linked)),
      refused: statuses.filter((answer) => answer !== null && answer >= 400 && answer < 500).map(String),
      broken: [
        ...(failed > 0 ? [`${String(failed)} runs failed`] : []),
        ...(status === 0
          ? []
          : [`the daemon ended with ${String(status)}: ${this.daemon.stderr.slice(-2000)}`]),
      ],
      runs: this.runs,
      attempts: statuses.length,
      repeated: statuses.filter((answer) => answer === null || answer >= 500).length,
    };
  }

  /** Counts what the daemon has logged, and drops the records of daemon and sandboxes: they would fill this process. */
  private forget(): void {
    const lines = this.daemon.lines.splice(0);
    this.runs += lines.filter((line) => line.includes('"msg":"run ended"')).length;
    this.passes.push(...lines.filter(isPass));
    this.world.catalog.resetRequests();
    for (const { ledger } of this.world.stores.values())
      for (const entries of [ledger.mutations, ledger.requests]) entries.splice(0);
  }

  private async room(): Promise<boolean> {
    if (this.sender.open > OPEN_MOST) return false;
    const [row] = await this.world.rows<{ open: string }>(
      `SELECT (SELECT count(*) FROM webhook_delivery WHERE state = 'received')
            + (SELECT count(*) FROM write_back WHERE state = 'ready') AS open`,
    );
    return Number(row?.open ?? 0) < OPEN_MOST;
  }

  /** The next product gets its next result. */
  private send(): void {
    const linked = this.linked[this.sent % this.linked.length];
    if (linked === undefined) throw new Error('there are no products');
    this.sent += 1;
    linked.takes += 1;
    const { store, product, catalogId, takes } = linked;
    this.sender.send(
      deliveryOf({
        action: 'product_generated',
        externalId: `shopify:${store.shop}:${String(product.id)}`,
        catalogId,
        taskId: `soak-${String(catalogId)}-${String(takes)}`,
        createdAt: this.clock.now(),
        content: { name: titleOf(linked), html_description: `<p>Generated text, take ${String(takes)}.</p>` },
      }),
    );
  }

  private editUntil(hours: number): void {
    while (this.edited < hours * EDITS_AN_HOUR * this.linked.length) this.edit();
  }

  /** The merchant changes what the next run has to push. */
  private edit(): void {
    const linked = this.linked[(this.edited * 13) % this.linked.length];
    this.edited += 1;
    linked?.store.products.merchantEdit(linked.product.gid, { vendor: `Vendor ${String(this.edited)}` });
  }
}

const temporaryOf = (world: World): string => join(world.directory, 'temporary');

function fill(store: RunningStoreSandbox, count: number): SandboxProduct[] {
  return Array.from({ length: count }, (_, index) =>
    store.products.create({
      title: `Plain title ${String(index)}`,
      handle: `soak-${String(index)}`,
      descriptionHtml: `<p>Plain text ${String(index)}.</p>`,
    }),
  );
}

function linkedProduct(
  store: RunningStoreSandbox,
  product: SandboxProduct,
  ids: ReadonlyMap<string, number>,
): Linked {
  const catalogId = ids.get(`shopify:${store.shop}:${String(product.id)}`);
  if (catalogId === undefined)
    throw new Error(`${product.gid} of ${store.shop} was not created in the catalog`);
  return { store, product, catalogId, takes: 0 };
}

async function catalogIds(world: World): Promise<Map<string, number>> {
  const rows = await world.rows<{ external_id: string; catalog_id: string }>(
    'SELECT external_id, catalog_id FROM store_product WHERE catalog_id IS NOT NULL',
  );
  return new Map(rows.map(({ external_id, catalog_id }) => [external_id, Number(catalog_id)]));
}

async function runsAtRest(world: World): Promise<boolean> {
  return (await world.rows(`SELECT 1 FROM sync_run WHERE state IN ('queued', 'running')`)).length === 0;
}

const titleOf = ({ product, takes }: Linked): string =>
  takes === 0 ? product.title : `Generated title of ${String(product.id)}, take ${String(takes)}`;

function lostTitle(linked: Linked): string[] {
  const { store, product } = linked;
  const live = store.products.list().find(({ gid }) => gid === product.gid)?.title;
  return live === titleOf(linked)
    ? []
    : [`${product.gid} of ${store.shop} says "${live ?? ''}" instead of "${titleOf(linked)}"`];
}
