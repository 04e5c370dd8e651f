import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { CodedError } from '../domain/errors.js';
import { ActionRepository } from '../persistence/action.repository.js';
import type { RunStep } from '../persistence/entities/sync-run.entity.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import { CreditRepository } from '../persistence/credit.repository.js';
import { ListingRepository, type ListFilter } from '../persistence/listing.repository.js';
import { OwedRepository } from '../persistence/owed.repository.js';
import { RunItemRepository } from '../persistence/run-item.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { RunRequests, type RunRequest } from '../connections/run-requests.js';
import { found } from './found.js';
import { pageOf, type Page } from './paging.js';
import type { LinkedProduct } from './products.js';
import { RowWorkPort } from './row-work.js';
import { isUnderWay, presentRun, type PresentedRun, type runQuerySchema } from './present-run.js';
import {
  changesOf,
  csvLine,
  presentItem,
  type FieldChange,
  type RunItemPage,
  type RunItemQuery,
} from './run-items.js';

/** How far a running run is. */
export interface RunProgress {
  /** The step that it is in; null before the first one, and when it has ended. */
  readonly step: RunStep | null;
  /** Products that are left in the steps after the sending: creations to follow, or content to request. */
  readonly left: number;
  /** Actions of the run's plan: settled ones, and all of them. */
  readonly settled: number;
  readonly planned: number;
  /** Null while nothing has been settled. */
  readonly perSecond: number | null;
  readonly secondsLeft: number | null;
}

export interface OpenedRun {
  readonly run: PresentedRun;
  /** A person has cancelled it, and its worker has not stopped yet. */
  readonly stopping: boolean;
  /** Credits for the content that the run requested; null while no result has named any. */
  readonly credits: number | null;
}

/** The database sorts all items for each batch. */
const CSV_BATCH = 5_000;
const CSV_HEAD = ['outcome', 'external_id', 'title', 'kind', 'reason', 'fields', 'at'];
const LONGEST_VALUE = 1500;

/** Runs for people: what happened and why, and how to stop one. */
@Injectable()
export class RunOperations {
  constructor(
    private readonly requests: RunRequests,
    private readonly runs: RunRepository,
    private readonly items: RunItemRepository,
    private readonly actions: ActionRepository,
    private readonly listing: ListingRepository,
    private readonly credits: CreditRepository,
    private readonly owed: OwedRepository,
    private readonly work: RowWorkPort,
  ) {}

  async list(query: z.output<typeof runQuerySchema> & ListFilter): Promise<Page<PresentedRun>> {
    return pageOf(await this.listing.runs(query, query), query, presentRun);
  }

  /** Runs of each state that match the rest of the filter. */
  async counts(filter: ListFilter): Promise<Record<string, number>> {
    return this.listing.counts('runs', filter);
  }

  /** Throws `not_found` for an unknown id. So does each method that takes one. */
  async show(id: string): Promise<PresentedRun> {
    return presentRun(await this.#run(id));
  }

  /** A run with what its page says besides. */
  async open(id: string): Promise<OpenedRun> {
    const run = await this.#run(id);
    const presented = presentRun(run);
    return {
      run: presented,
      stopping: run.cancelledBy !== null && isUnderWay(presented),
      credits: await this.credits.ofRun(run.id),
    };
  }

  async itemPage(id: string, query: RunItemQuery): Promise<RunItemPage> {
    const run = await this.#run(id);
    const { limit, offset, cursor, outcome, search } = query;
    const [{ rows, next }, outcomes] = await Promise.all([
      this.items.page(run.id, { outcome, search }, { limit, offset, cursor }),
      this.items.counts(run.id, search),
    ]);
    const total =
      outcome === undefined
        ? Object.values(outcomes).reduce((sum, count) => sum + count, 0)
        : outcome === 'sent'
          ? outcomes.created + outcomes.updated
          : outcomes[outcome];
    return { items: rows.map(presentItem), total, limit, offset, next, outcomes };
  }

  /** The changed fields of some of the run's products, by external_id. */
  async changes(id: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, FieldChange[]>> {
    const run = await this.#run(id);
    const bodies = await this.items.bodies(run.id, externalIds);
    return new Map(bodies.map((each) => [each.externalId, changesOf(each, LONGEST_VALUE)]));
  }

  /** The items as a CSV file, a piece at a time. */
  async *csv(id: string, filter: Pick<RunItemQuery, 'outcome' | 'search'>): AsyncGenerator<string> {
    const run = await this.#run(id);
    yield csvLine(CSV_HEAD);
    for (let cursor: string | null | undefined; cursor !== null;) {
      const { rows, next } = await this.items.page(run.id, filter, { limit: CSV_BATCH, offset: 0, cursor });
      yield rows
        .map(presentItem)
        .map(({ outcome, externalId, label, kind, reason, fields, at }) =>
          csvLine([outcome, externalId, label, kind ?? '', reason, fields.join(' '), at]),
        )
        .join('');
      cursor = next;
    }
  }

  async progress(id: string): Promise<RunProgress> {
    const run = await this.#run(id);
    const tally = await this.actions.tally(run.id);
    const settled = tally.created + tally.updated + tally.orphaned + tally.failed;
    const phase = isUnderWay(presentRun(run)) ? run.steps.at(-1) : undefined;
    const { pending, due } = await this.#left(run.store, phase?.step);
    const left = phase?.step === 'creations' ? pending : due;
    const rest = { planned: settled + tally.open, perSecond: null, secondsLeft: null };
    const none = { step: phase?.step ?? null, left, settled, ...rest };
    if (phase?.step !== 'apply') return none;
    const speed = await this.items.speed(run.id, new Date(phase.startedAt));
    if (speed.settled === 0 || speed.seconds <= 0) return none;
    const perSecond = speed.settled / speed.seconds;
    return { ...none, perSecond, secondsLeft: tally.open / perSecond };
  }

  /**
   * Asks a run to stop at its next safe point. A run without a worker ends at once. Throws `conflict` when the run has ended or was
   * cancelled before.
   */
  async cancel(id: string, by: string): Promise<PresentedRun> {
    const run = await this.#run(id);
    if (!(await this.runs.requestCancel(run.id, by))) {
      const now = await this.#run(id);
      throw new CodedError(
        'conflict',
        now.cancelledBy === null || !isUnderWay(presentRun(now))
          ? `run ${id} has ended already: ${now.state}`
          : `run ${id} is being cancelled already, by ${now.cancelledBy}`,
      );
    }
    if (isUnderWay(presentRun(run))) await this.work.endRun(run.id);
    return presentRun(await this.#run(id));
  }

  /** Requests a run and wakes a worker. `created`: false when the store has an active run already. Throws `not_found` for an unknown store. */
  async request(request: RunRequest): Promise<{ id: string; created: boolean }> {
    const run = await this.requests.requestNamed(request);
    await this.work.run(run.id);
    return run;
  }

  /**
   * Requests a run that reads this product whatever the watermark says, besides what changed. An active run stays as it is, and the next
   * one reads the product.
   */
  async requestFor(
    { externalId, store, storeId, label }: LinkedProduct,
    actor: string,
  ): Promise<{ id: string; created: boolean }> {
    const detail = `requested by ${actor}`;
    await this.owed.note(store, [{ externalId, storeId, label, code: 'changed', detail }]);
    return this.request({ store, full: false, trigger: 'api', requestedBy: actor });
  }

  /** Requests a run for what this one did not bring in: every run reads the products that are owed. */
  async retry(
    id: string,
    by: Pick<RunRequest, 'trigger' | 'requestedBy'>,
  ): Promise<{ id: string; created: boolean }> {
    const { store } = await this.#run(id);
    return this.request({ store, full: false, ...by });
  }

  async #left(store: string, step: RunStep | undefined): Promise<{ pending: number; due: number }> {
    return step === 'creations' || step === 'generation' ? this.items.left(store) : { pending: 0, due: 0 };
  }

  async #run(id: string): Promise<SyncRunEntity> {
    return found(await this.runs.get(id), 'run', id);
  }
}
