import { Injectable } from '@nestjs/common';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import { CreditRepository } from '../persistence/credit.repository.js';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { OwedRepository, type OwedSummary } from '../persistence/owed.repository.js';
import {
  StatusRepository,
  type Counts,
  type ProductCounts,
  type WithoutResult,
} from '../persistence/status.repository.js';
import { Clock } from '../runtime/clock.js';
import { Connections, type Store } from '../connections/connections.js';
import { nextStart } from '../connections/next-start.js';
import { isOutOfCredits } from '../planner/credit-room.js';
import { attentionOf, ofStore, type Attention, type StoreFacts, type WorkspaceFacts } from './attention.js';
import { CREDIT_DAYS, creditOutlook, lastDays, type CreditOutlook } from './credits.js';
import { GroundLooks, sideOutages, type Outage } from './outages.js';
import type { Page } from './paging.js';
import { isUnderWay, presentRun, type PresentedRun } from './present-run.js';
import { presentHealth, type Health } from './store-health.js';

/** Products that are in the store, and those of them with generated content. */
export interface Coverage {
  readonly products: number;
  readonly withContent: number;
  /** Products whose generated text is in the shop. */
  readonly live: number;
}

export interface CoverageDay extends Omit<Coverage, 'live'> {
  readonly day: string;
}

/** A store in the list of the overview. */
export interface StoreLine {
  readonly store: string;
  readonly shop: string;
  readonly health: Health;
  readonly problems: readonly Attention[];
  readonly coverage: Coverage;
  /** The last thirty days on which it had products, oldest first; today is the present count. */
  readonly days: readonly CoverageDay[];
  readonly lastRun: PresentedRun | null;
  readonly nextRunAt: Date;
  readonly timezone: string;
  readonly forReview: number;
  readonly owed: number;
}

export interface WorkspaceLine {
  readonly workspace: string;
  readonly pause: string | null;
  readonly webhook: string | null;
  readonly credits: CreditOutlook;
}

export interface Work {
  readonly forReview: number;
  readonly awaited: number;
  readonly received: number;
  readonly ready: number;
  readonly parked: number;
  readonly failedDeliveries: number;
  readonly failedWrites: number;
  readonly givenUp: number;
  readonly noSources: number;
}

export interface Overview {
  /** Sides that do not answer now. store-sync tries them again by itself. */
  readonly outages: readonly Outage[];
  readonly attention: readonly Attention[];
  readonly work: Work;
  readonly stores: Page<StoreLine>;
  /** Stores without a filter. */
  readonly allStores: number;
  readonly workspaces: Page<WorkspaceLine>;
  readonly isBusy: boolean;
}

export interface OverviewQuery {
  /** Part of a key or a shop. */
  readonly search?: string | undefined;
  /** Only stores that need a person. */
  readonly onlyAttention?: boolean | undefined;
  readonly offset: number;
}

const STORES_OF_A_PAGE = 25;
const WORKSPACES_SHOWN = 20;

/** The state of all stores, for people. The number of statements does not grow with the number of stores. */
@Injectable()
export class OverviewReader {
  constructor(
    private readonly connections: Connections,
    private readonly status: StatusRepository,
    private readonly owed: OwedRepository,
    private readonly credits: CreditRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly state: StateRepository,
    private readonly ground: GroundLooks,
    private readonly clock: Clock,
  ) {}

  async read(query: OverviewQuery): Promise<Overview> {
    const { stores } = this.connections;
    const keys = stores.map(({ key }) => key);
    const [states, runs, products, tasks, writeBacks, owed, deliveries, workspaces, withoutResult, ground] =
      await Promise.all([
        this.status.states(keys),
        this.status.latestRuns(keys, 1),
        this.status.products(keys),
        this.status.countByState('generation_task', keys),
        this.status.countByState('write_back', keys),
        this.owed.summaries(keys),
        this.deliveries.countByState(),
        this.#workspaces(),
        this.status.withoutResult(keys),
        this.ground.outages(),
      ]);
    const facts = judgedStores(stores, { states, runs, products, writeBacks, owed });
    const work = workOf({ tasks, writeBacks, deliveries, withoutResult });
    const chosen = chosenStores(facts, query);
    const now = this.clock.now();
    const lines = chosen
      .slice(query.offset, query.offset + STORES_OF_A_PAGE)
      .map((each) => lineOf(each, now));
    return {
      outages: [...ground, ...sideOutages(workspaces.rows, [...states.values()], waitingFor(facts))],
      attention: attentionOf(facts, workspaces.facts, work),
      work,
      stores: {
        items: await this.#withDays(lines),
        total: chosen.length,
        limit: STORES_OF_A_PAGE,
        offset: query.offset,
      },
      allStores: stores.length,
      workspaces: {
        items: workspaces.lines.slice(0, WORKSPACES_SHOWN),
        total: workspaces.lines.length,
        limit: WORKSPACES_SHOWN,
        offset: 0,
      },
      isBusy: lines.some(({ lastRun }) => lastRun !== null && isUnderWay(lastRun)),
    };
  }

  /** The coverage of one store over the last thirty days, and what about it needs a person. */
  async store(store: Store): Promise<{
    readonly coverage: Coverage;
    readonly days: readonly CoverageDay[];
    readonly problems: readonly Attention[];
    /** Products whose newest generation brought nothing. */
    readonly without: WithoutResult;
  }> {
    const { key } = store;
    const [days, states, runs, products, writeBacks, without] = await Promise.all([
      this.#days([key]),
      this.status.states([key]),
      this.status.latestRuns([key], 1),
      this.status.products([key]),
      this.status.countByState('write_back', [key]),
      this.status.withoutResult([key]),
    ]);
    const problems = judgedStores([store], { states, runs, products, writeBacks, owed: new Map() }).flatMap(
      ofStore,
    );
    const coverage = coverageOf(products);
    return { coverage, problems, without, days: withToday(days.get(key) ?? [], this.#today(), coverage) };
  }

  async #withDays(lines: readonly StoreLine[]): Promise<StoreLine[]> {
    const days = await this.#days(lines.map(({ store }) => store));
    const today = this.#today();
    return lines.map((line) => ({
      ...line,
      days: withToday(days.get(line.store) ?? [], today, line.coverage),
    }));
  }

  async #days(stores: readonly string[]): Promise<ReadonlyMap<string, CoverageDay[]>> {
    const [since = this.#today()] = lastDays(this.clock.now(), CREDIT_DAYS);
    return Map.groupBy(await this.status.days(stores, since), ({ store }) => store);
  }

  #today(): string {
    return this.clock.now().toISOString().slice(0, 10);
  }

  async #workspaces() {
    const now = this.clock.now();
    const keys = this.connections.workspaces.map(({ key }) => key);
    const [since = this.#today()] = lastDays(now, CREDIT_DAYS);
    const [rows, spent, each] = await Promise.all([
      this.state.workspaces(),
      this.credits.days(keys, new Date(since)),
      this.credits.perGenerationOf(keys),
    ]);
    const known = new Map(rows.map((row) => [row.workspace, row]));
    const spentBy = Map.groupBy(spent, ({ workspace }) => workspace);
    const outlooks = this.connections.workspaces.map(({ key, settings }) => {
      const row = known.get(key);
      const credits = creditOutlook(row?.creditsRemaining ?? null, spentBy.get(key) ?? [], now);
      const isOut = isOutOfCredits({
        remaining: credits.remaining,
        minimum: settings.generation.minCreditsRemaining,
        each: each.get(key) ?? null,
      });
      return { key, row, credits, isOut };
    });
    return {
      rows: rows.filter(({ workspace }) => keys.includes(workspace)),
      lines: outlooks.map(({ key, row, credits }): WorkspaceLine => ({
        workspace: key,
        credits,
        pause: row?.pausedReason ?? null,
        webhook: row?.webhookFinding ?? null,
      })),
      facts: outlooks.map(({ key, row, credits, isOut }): WorkspaceFacts => ({
        key,
        isOut,
        daysLeft: credits.daysLeft,
        pause: row?.pausedReason ?? null,
        slot: { isTaken: row?.webhookState === 'foreign', detail: row?.webhookFinding ?? null },
      })),
    };
  }
}

/** The rows of all stores in this state. */
function inState(byStore: ReadonlyMap<string, Counts>, state: string): number {
  return [...byStore.values()].reduce((sum, counts) => sum + (counts[state] ?? 0), 0);
}

function withheldOf(products: readonly ProductCounts[]): number {
  return products.reduce((sum, { state, count }) => sum + (state === 'conflicted' ? count : 0), 0);
}

interface Judged extends StoreFacts {
  readonly store: Store;
  readonly health: Health;
  readonly run: SyncRunEntity | null;
  readonly coverage: Coverage;
  readonly forReview: number;
  readonly owed: number;
}

type Rows<Name extends 'states' | 'latestRuns'> = Awaited<ReturnType<StatusRepository[Name]>>;

interface StoreRows {
  readonly states: Rows<'states'>;
  readonly runs: Rows<'latestRuns'>;
  readonly products: readonly ProductCounts[];
  readonly writeBacks: ReadonlyMap<string, Counts>;
  readonly owed: ReadonlyMap<string, OwedSummary>;
}

/** The facts about each store, from the rows of all stores. */
function judgedStores(stores: readonly Store[], rows: StoreRows): Judged[] {
  const productsOf = Map.groupBy(rows.products, ({ store }) => store);
  return stores.map((store) => {
    const { key } = store;
    const state = rows.states.get(key);
    const health = presentHealth(state);
    const run = rows.runs.get(key)?.[0] ?? null;
    const products = productsOf.get(key) ?? [];
    const writeBacks = rows.writeBacks.get(key);
    return {
      key,
      store,
      health,
      run,
      pause: health.reason,
      servedVersion: state?.servedVersion ?? null,
      lastRun: run === null ? null : judgedRun(run),
      failedWrites: writeBacks?.['failed'] ?? 0,
      withheld: withheldOf(products),
      coverage: coverageOf(products),
      forReview: writeBacks?.['pending_review'] ?? 0,
      owed: rows.owed.get(key)?.count ?? 0,
    };
  });
}

interface WorkRows {
  readonly tasks: ReadonlyMap<string, Counts>;
  readonly writeBacks: ReadonlyMap<string, Counts>;
  readonly deliveries: Counts;
  readonly withoutResult: WithoutResult;
}

function workOf({ tasks, writeBacks, deliveries, withoutResult }: WorkRows): Work {
  return {
    forReview: inState(writeBacks, 'pending_review'),
    awaited: inState(tasks, 'requested'),
    received: deliveries['received'] ?? 0,
    ready: inState(writeBacks, 'ready'),
    parked: deliveries['parked'] ?? 0,
    failedDeliveries: deliveries['failed'] ?? 0,
    failedWrites: inState(writeBacks, 'failed'),
    givenUp: withoutResult.failed,
    noSources: withoutResult.noSources,
  };
}

/** The line of a store, still without its days. */
function lineOf(judged: Judged, now: Date): StoreLine {
  const { key, store, health, run, coverage, forReview, owed } = judged;
  return {
    store: key,
    shop: store.settings.shop,
    health,
    problems: ofStore(judged),
    coverage,
    days: [],
    lastRun: run === null ? null : presentRun(run),
    nextRunAt: nextStart(store.settings, now),
    timezone: store.settings.schedule.timezone,
    forReview,
    owed,
  };
}

function judgedRun(run: SyncRunEntity): NonNullable<StoreFacts['lastRun']> {
  const { failed = 0, owed = 0 } = run.counts;
  return {
    id: run.id,
    status: run.state,
    error: run.error,
    missing: Math.max(failed, owed),
    isRetried: run.retryAt !== null,
  };
}

function waitingFor(facts: readonly Judged[]) {
  return facts.map(({ key, store, run }) => ({ key, run, workspace: store.workspace.key }));
}

/** The stores of the list: those that need a person first, then by key. */
function chosenStores(facts: readonly Judged[], { search, onlyAttention }: OverviewQuery): Judged[] {
  const wanted = search?.toLowerCase() ?? '';
  return facts
    .map((each) => ({ each, problems: ofStore(each).length }))
    .filter(
      ({ each, problems }) =>
        (onlyAttention !== true || problems > 0) &&
        (each.key.toLowerCase().includes(wanted) || each.store.settings.shop.includes(wanted)),
    )
    .sort((one, other) => other.problems - one.problems || (one.each.key < other.each.key ? -1 : 1))
    .map(({ each }) => each);
}

/** Products that are still in the store. */
export function coverageOf(
  rows: readonly Pick<ProductCounts, 'state' | 'count' | 'withContent' | 'live'>[],
): Coverage {
  const present = rows.filter(({ state }) => state !== 'orphaned');
  return {
    products: present.reduce((sum, { count }) => sum + count, 0),
    withContent: present.reduce((sum, { withContent }) => sum + withContent, 0),
    live: present.reduce((sum, { live }) => sum + live, 0),
  };
}

function withToday(
  days: readonly CoverageDay[],
  today: string,
  { products, withContent }: Coverage,
): CoverageDay[] {
  return [...days.filter(({ day }) => day < today), { day: today, products, withContent }];
}
