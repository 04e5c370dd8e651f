import { Inject, Injectable, Optional } from '@nestjs/common';
import type { StoreStateEntity, SyncRunEntity, WorkspaceStateEntity } from '../persistence/entities/index.js';
import type { Store } from '../connections/connections.js';
import { Database } from '../persistence/database.js';
import { StateRepository } from '../persistence/state.repository.js';
import { DatabaseAwayError } from '../persistence/statement-error.js';
import { Clock } from '../runtime/clock.js';
import { timedOut, within } from '../runtime/time-limit.js';
import { QUEUE_BACKEND, type QueueBackend } from '../queue/queue-backend.js';

/** A side that does not answer now. store-sync tries it again by itself. */
export interface Outage {
  readonly what: 'catalog' | 'store' | 'queue' | 'database' | 'run';
  /** Key of the workspace or the store. */
  readonly of: string;
  /** What ended the run; null where a side does not answer at all. */
  readonly reason: string | null;
  /** ISO times; null while they are not known. */
  readonly since: string | null;
  readonly nextTry: string | null;
  /** The run that waits for it. */
  readonly run: string | null;
}

interface Waiting {
  readonly key: string;
  readonly workspace: string;
  readonly run: SyncRunEntity | null;
}

/** The catalogs and stores that do not answer, and the runs that wait for another reason. Pure. */
export function sideOutages(
  workspaces: readonly Pick<WorkspaceStateEntity, 'workspace' | 'silentSince'>[],
  states: readonly Pick<StoreStateEntity, 'store' | 'silentSince'>[],
  stores: readonly Waiting[],
): Outage[] {
  const silent = [
    ...workspaces.map(({ workspace: of, silentSince }) => ({ what: 'catalog' as const, of, silentSince })),
    ...states.map(({ store: of, silentSince }) => ({ what: 'store' as const, of, silentSince })),
  ].filter(({ silentSince }) => silentSince !== null);
  const isOf = ({ what, of }: Pick<Outage, 'what' | 'of'>, { key, workspace }: Waiting): boolean =>
    what === 'catalog' ? of === workspace : of === key;
  const sides = silent.map(({ what, of, silentSince }): Outage => {
    const waiting = stores.filter((store) => isOf({ what, of }, store)).flatMap(({ run }) => run ?? []);
    const [next] = waiting.filter(({ retryAt }) => retryAt !== null).sort(byRetry);
    const run = next ?? waiting.find(({ state }) => state === 'running');
    const nextTry = next?.retryAt?.toISOString() ?? null;
    return {
      what,
      of,
      reason: null,
      since: silentSince?.toISOString() ?? null,
      nextTry,
      run: run?.id ?? null,
    };
  });
  const others = stores.filter((store) => !silent.some((side) => isOf(side, store))).flatMap(waitingRun);
  return [...sides, ...others];
}

function byRetry(one: SyncRunEntity, other: SyncRunEntity): number {
  return (one.retryAt?.getTime() ?? 0) - (other.retryAt?.getTime() ?? 0);
}

function waitingRun({ key, run }: Waiting): Outage[] {
  if (!run?.retryAt || run.error === null) return [];
  const { id, error, finishedAt, retryAt } = run;
  const since = finishedAt?.toISOString() ?? null;
  return [{ what: 'run', of: key, reason: error, since, nextTry: retryAt.toISOString(), run: id }];
}

/** Whether the database could not be reached. */
export function isDatabaseAway(error: unknown): boolean {
  return error instanceof DatabaseAwayError;
}

const ANSWER_WITHIN_MS = 1_000;
/** A part that does not answer within this time counts as down. */
const READY_WITHIN_MS = 2_000;

/** Whether the parts of this process's own ground answer: the queue's Redis, and the database in good time. */
@Injectable()
export class GroundLooks {
  #queueAwaySince: string | null = null;

  constructor(
    @Inject(Database) private readonly db: Pick<Database, 'assertWritable'>,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
    @Optional() @Inject(QUEUE_BACKEND) private readonly queue?: Pick<QueueBackend, 'kind' | 'ping'>,
  ) {}

  async outages(): Promise<Outage[]> {
    const [queue, lagMs] = await Promise.all([this.#queueAnswers(), this.#lagMs()]);
    const none = { of: '', nextTry: null, run: null };
    this.#queueAwaySince = queue ? null : (this.#queueAwaySince ?? this.clock.now().toISOString());
    const slow = `${(lagMs / 1000).toFixed(1)} s for one look`;
    return [
      ...(queue ? [] : [{ ...none, what: 'queue' as const, reason: null, since: this.#queueAwaySince }]),
      ...(lagMs < ANSWER_WITHIN_MS
        ? []
        : [{ ...none, what: 'database' as const, reason: slow, since: null }]),
    ];
  }

  /** The parts without which this process cannot work. The reason may contain addresses, so it is only in the log of that part. */
  async down(): Promise<string[]> {
    const parts = [
      ['database', this.db.assertWritable()],
      ['queue', this.queue?.ping()],
    ] as const;
    const answers = parts.map(([name, answer]) =>
      within(READY_WITHIN_MS, Promise.resolve(answer), timedOut('no answer in time')).then(
        () => null,
        () => name,
      ),
    );
    return (await Promise.all(answers)).filter((name) => name !== null);
  }

  /** A queue in the database is as good as the database. */
  async #queueAnswers(): Promise<boolean> {
    if (this.queue?.kind !== 'redis') return true;
    return within(ANSWER_WITHIN_MS, this.queue.ping(), timedOut('no answer in time')).then(
      () => true,
      () => false,
    );
  }

  async #lagMs(): Promise<number> {
    const from = performance.now();
    // Pages that cannot be read say so themselves.
    await this.db.assertWritable().catch(() => undefined);
    return performance.now() - from;
  }
}

/** Since when the sides of a store have not answered, as the process that asks them has recorded; null for a side that answers. */
@Injectable()
export class SilentSides {
  constructor(private readonly state: StateRepository) {}

  async of({ key, workspace }: Pick<Store, 'key' | 'workspace'>) {
    const [catalog, shop] = await Promise.all([this.state.workspace(workspace.key), this.state.store(key)]);
    return { catalog: catalog?.silentSince, shop: shop?.silentSince };
  }
}
