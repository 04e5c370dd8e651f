import { Counter, Gauge, type Registry } from 'prom-client';
import { SLOT_STATES } from '../connections/webhook-slot.js';
import { PAUSE_CODES } from '../domain/side-pause.js';
import { HELD_BY } from '../domain/write-cap.js';
import type { BacklogRow, StoreGauges, WorkspaceGauges } from '../persistence/gauge.repository.js';
import type { HeldWriteBacks } from '../persistence/status.repository.js';
import { Remembered } from '../runtime/remembered.js';
import { within } from '../runtime/time-limit.js';

/** The sources of values that are read at a scrape. */
export interface StateSources {
  readonly backlog: () => Promise<readonly BacklogRow[]>;
  readonly workspaces: () => Promise<readonly WorkspaceGauges[]>;
  readonly stores: () => Promise<readonly StoreGauges[]>;
  /** Write-backs that wait for a limit or because of a gate. */
  readonly held: () => Promise<readonly HeldWriteBacks[]>;
  readonly queues: () => Promise<
    readonly { readonly queue: string; readonly state: string; readonly count: number }[]
  >;
  /** Jobs that no queue took since the start, by queue. */
  readonly lostJobs: () => ReadonlyMap<string, number>;
  /** Monotonic milliseconds. */
  readonly clockMs: () => number;
  /** Called with the reason why a side could not be read. */
  readonly onFault: (side: 'database' | 'queue', error: unknown) => void;
}

/** Sets the gauges to the values of a read. */
type Shown = () => void;

/** Prometheus times out after ten seconds, so an answer without these values is better than none. */
const ANSWER_WITHIN_MS = 2_000;
/** Several scrapers share one read. */
const FRESH_MS = 5_000;
/** Shown even when zero, so that an alert can compare them. */
const ALWAYS_SHOWN: readonly (readonly [string, string])[] = [
  ['deliveries', 'received'],
  ['deliveries', 'parked'],
  ['deliveries', 'failed'],
  ['write_backs', 'ready'],
  ['write_backs', 'pending_review'],
  ['write_backs', 'conflicted'],
  ['write_backs', 'failed'],
  ['actions', 'planned'],
  ['actions', 'failed'],
  ['runs', 'queued'],
  ['runs', 'running'],
  ['tasks', 'requested'],
];

/** The gauges of one read. Each of them shows what that read found, and nothing else. */
function gaugesIn(registry: Registry) {
  const gauge = <T extends string>(name: string, help: string, ...labelNames: T[]): Gauge<T> =>
    new Gauge({ name: `store_sync_${name}`, help, labelNames, registers: [registry] });
  return {
    databaseUp: gauge('database_up', 'Whether the database answered when it was last asked'),
    queueUp: gauge('queue_up', 'Whether the queues’ storage answered when it was last asked'),
    rows: gauge('open_rows', 'Rows that wait for work or for a person, by state', 'rows', 'state'),
    oldest: gauge('oldest_row_age_seconds', 'Age of the oldest of the open rows', 'rows', 'state'),
    taskAge: gauge('oldest_task_age_seconds', 'Age of the oldest open generation task', 'workspace'),
    credits: gauge('credits_remaining', 'Credits as the catalog service last reported', 'workspace'),
    paused: gauge('workspace_paused', 'Whether nothing is asked of the workspace at present', 'workspace'),
    slot: gauge('webhook_slot', 'Owner of the webhook slot: 1 for the present one', 'workspace', 'state'),
    lastSuccess: gauge(
      'last_successful_run_timestamp_seconds',
      'When the store’s newest successful run ended, as Unix time',
      'store',
    ),
    conflicted: gauge(
      'products_conflicted',
      'Products of which an identifier is withheld from the catalog',
      'store',
    ),
    storePaused: gauge('store_paused', 'Whether the store is paused, by why', 'store', 'code'),
    versionDrift: gauge(
      'store_api_version_retired',
      'Whether the store serves another API version in place of the configured one, which it has retired',
      'store',
    ),
    held: gauge(
      'write_backs_held',
      'Write-backs that wait for a limit on writes, or for a person because of a gate',
      'store',
      'why',
    ),
    queueJobs: gauge('queue_jobs', 'Jobs in the queues', 'queue', 'state'),
    lostJobs: new Counter({
      name: 'store_sync_jobs_lost_total',
      help: 'Jobs that the queue did not take; the next sweep finds their rows',
      labelNames: ['queue'],
      registers: [registry],
    }),
  };
}

/**
 * Values from rows and queues, read at a scrape. Values that cannot be read in time are omitted. An old value would
 * hide the fault that the reader is looking for.
 */
export class StateGauges {
  readonly #gauges: ReturnType<typeof gaugesIn>;
  readonly #reads: Remembered<void>;
  #databaseLook: Promise<Shown | null> | null = null;
  #queueLook: Promise<Shown | null> | null = null;

  constructor(
    registry: Registry,
    private readonly sources: StateSources,
  ) {
    this.#gauges = gaugesIn(registry);
    this.#reads = new Remembered(FRESH_MS, sources.clockMs);
  }

  /** Reads everything again unless it was read a moment ago. Never throws, and takes at most two seconds. */
  refresh(): Promise<void> {
    return this.#reads.get('', () => this.#readAll());
  }

  async #readAll(): Promise<void> {
    const { sources } = this;
    // A read that hangs is awaited by the next scrapes, too, instead of starting another one.
    const lookOrNull = (side: 'database' | 'queue', look: Promise<Shown>): Promise<Shown | null> =>
      look.catch((error: unknown) => {
        sources.onFault(side, error);
        return null;
      });
    this.#databaseLook ??= lookOrNull('database', this.#lookAtRows()).finally(() => {
      this.#databaseLook = null;
    });
    this.#queueLook ??= lookOrNull('queue', this.#lookAtQueues()).finally(() => {
      this.#queueLook = null;
    });
    const [rows, jobs] = await Promise.all([inTime(this.#databaseLook), inTime(this.#queueLook)]);
    const { databaseUp, queueUp, lostJobs } = this.#gauges;
    for (const gauge of Object.values(this.#gauges)) gauge.reset();
    databaseUp.set(rows === null ? 0 : 1);
    queueUp.set(jobs === null ? 0 : 1);
    rows?.();
    jobs?.();
    for (const [queue, count] of sources.lostJobs()) lostJobs.inc({ queue }, count);
  }

  async #lookAtRows(): Promise<Shown> {
    const [backlog, workspaces, stores, held] = await Promise.all([
      this.sources.backlog(),
      this.sources.workspaces(),
      this.sources.stores(),
      this.sources.held(),
    ]);
    const gauges = this.#gauges;
    return () => {
      for (const [rows, state] of ALWAYS_SHOWN) {
        gauges.rows.set({ rows, state }, 0);
        gauges.oldest.set({ rows, state }, 0);
      }
      for (const { rows, state, count, oldestSeconds } of backlog) {
        gauges.rows.set({ rows, state }, count);
        gauges.oldest.set({ rows, state }, oldestSeconds);
      }
      for (const workspace of workspaces) this.#setWorkspace(workspace);
      for (const { store, lastSuccessSeconds, conflictedProducts, pausedCode, servedVersion } of stores) {
        if (lastSuccessSeconds !== null) gauges.lastSuccess.set({ store }, lastSuccessSeconds);
        gauges.conflicted.inc({ store }, conflictedProducts);
        gauges.versionDrift.inc({ store }, servedVersion === null ? 0 : 1);
        for (const code of PAUSE_CODES) gauges.storePaused.inc({ store, code }, pausedCode === code ? 1 : 0);
        for (const why of HELD_BY) gauges.held.inc({ store, why }, 0);
      }
      for (const { store, why, count } of held) gauges.held.inc({ store, why }, count);
    };
  }

  #setWorkspace(gauge: WorkspaceGauges): void {
    const { workspace, creditsRemaining, paused, webhookState, oldestTaskSeconds } = gauge;
    const { taskAge, paused: isPaused, credits, slot } = this.#gauges;
    taskAge.set({ workspace }, oldestTaskSeconds);
    isPaused.set({ workspace }, paused ? 1 : 0);
    if (creditsRemaining !== null) credits.set({ workspace }, creditsRemaining);
    for (const state of SLOT_STATES)
      slot.set({ workspace, state }, state === (webhookState ?? 'unknown') ? 1 : 0);
  }

  async #lookAtQueues(): Promise<Shown> {
    const queues = await this.sources.queues();
    return () => {
      for (const { queue, state, count } of queues) this.#gauges.queueJobs.set({ queue, state }, count);
    };
  }
}

/** The result of a read; null when it failed or took too long. */
function inTime(look: Promise<Shown | null>): Promise<Shown | null> {
  return within(ANSWER_WITHIN_MS, look, () => null);
}
