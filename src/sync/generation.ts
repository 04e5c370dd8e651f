import { Injectable } from '@nestjs/common';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine, isCoded } from '../domain/errors.js';
import type { GenerationTaskEntity, StoreProductEntity } from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { TaskRepository } from '../persistence/task.repository.js';
import pLimit from 'p-limit';
import { catalogFields } from '../planner/catalog-content.js';
import { killPoint } from '../runtime/kill-point.js';
import type { Store } from '../sites/sites.js';

export interface GenerationOutcome {
  readonly requested: number;
  /** The reason why not everything was requested; null when nothing is left. */
  readonly stopped: string | null;
  /** True when a configured limit stopped it, which is no error. */
  readonly atLimit?: boolean;
  /** Products of requests that were not answered: they may have been heard. Absent: none. */
  readonly unknown?: number;
  readonly unknownReason?: string;
}

/**
 * Credits are reported only with results. Below the minimum nothing is requested, so no report would show new
 * credits. After this time one product is requested, to learn the credits again.
 */
const REPORT_HOLDS_HOURS = 20;

/** Unanswered requests in a row after which the service counts as down. */
const MOST_UNANSWERED = 3;

/** Adds up the requests of unknown outcome: some may be passed over, several in a row end the asking. */
class UnknownOutcomes {
  #products = 0;
  #inARow = 0;
  #reason = '';

  noted(outcome: GenerationOutcome): GenerationOutcome {
    if (outcome.unknown === undefined) {
      this.#inARow = 0;
      return outcome;
    }
    this.#products += outcome.unknown;
    this.#inARow += 1;
    this.#reason = outcome.unknownReason ?? this.#reason;
    if (this.#inARow < MOST_UNANSWERED) return outcome;
    return {
      ...outcome,
      stopped: `${String(MOST_UNANSWERED)} generation requests in a row were not answered: ${this.#reason}`,
    };
  }

  of(outcome: GenerationOutcome): GenerationOutcome {
    if (this.#products === 0) return outcome;
    return { ...outcome, unknown: this.#products, unknownReason: this.#reason };
  }
}

/** Throws when the worker may no longer send. */
type Fence = () => void;

function fenceOf(signal: AbortSignal): Fence {
  return () => {
    signal.throwIfAborted();
  };
}

interface Brake {
  readonly reason: string;
  /** One product may be requested to learn the credits. */
  readonly mayLook: boolean;
}

/**
 * Requests content (docs/decisions/0013-unknown-outcome-is-not-repeated.md). The task row exists before the call. A
 * call with an unknown outcome is not repeated, because it may have cost credits. Deliveries and polls settle its
 * rows.
 */
@Injectable()
export class GenerationRequester {
  constructor(
    private readonly links: LinkRepository,
    private readonly tasks: TaskRepository,
    private readonly state: StateRepository,
  ) {}

  /** Requests content for due products of a store, at most `limit`. Each request reports how many of them were requested so far. */
  async requestDue(
    store: Store,
    runId: string | null,
    limit: number,
    signal: AbortSignal,
    onRequested?: (soFar: number, due: number) => void,
    fence: Fence = fenceOf(signal),
  ): Promise<GenerationOutcome> {
    const { maxPerRun } = store.workspace.settings.generation;
    let due: number | null = null;
    let requested = 0;
    const unknown = new UnknownOutcomes();
    while (requested < limit) {
      signal.throwIfAborted();
      const brake = await this.#brake(store);
      if (brake !== null) {
        const first = brake.mayLook ? await this.links.generationDue(store.key, 1) : [];
        return unknown.of(await this.#braked(store, brake, first, runId, requested, fence));
      }
      const { settings, client } = store.workspace;
      const size = Math.min(settings.generation.batchSize, client.generationBatchLimit, limit - requested);
      const products = await this.links.generationDue(store.key, size);
      if (products.length === 0) return unknown.of({ requested, stopped: null });
      due ??= onRequested ? Math.min(limit, await this.links.countGenerationDue(store.key, [])) : 0;
      const outcome = unknown.noted(await this.requestFor(store, products, runId, fence));
      requested += outcome.requested;
      onRequested?.(requested, due);
      if (outcome.stopped !== null) return unknown.of({ requested, stopped: outcome.stopped });
    }
    const left = await this.links.generationDue(store.key, 1);
    return unknown.of({
      requested,
      ...(left.length === 0
        ? { stopped: null }
        : { stopped: `generation.maxPerRun (${String(maxPerRun)}) reached`, atLimit: true }),
    });
  }

  /**
   * Requests content for the given linked products of one store, under the same limits, at most
   * `generation.maxPerRun`. Products with an open task are skipped.
   */
  async requestGiven(
    store: Store,
    products: readonly StoreProductEntity[],
    signal: AbortSignal,
  ): Promise<GenerationOutcome> {
    const { generation } = store.workspace.settings;
    let requested = 0;
    const unknown = new UnknownOutcomes();
    for (let from = 0; from < products.length;) {
      signal.throwIfAborted();
      const brake = await this.#brake(store);
      if (brake !== null) {
        const first = brake.mayLook ? products.slice(from, from + 1) : [];
        return unknown.of(await this.#braked(store, brake, first, null, requested, fenceOf(signal)));
      }
      const room = generation.maxPerRun - requested;
      if (room <= 0)
        return unknown.of({
          requested,
          stopped: `generation.maxPerRun (${String(generation.maxPerRun)}) reached`,
          atLimit: true,
        });
      const size = Math.min(generation.batchSize, store.workspace.client.generationBatchLimit, room);
      const some = products.slice(from, from + size);
      const outcome = unknown.noted(await this.requestFor(store, some, null, fenceOf(signal)));
      from += size;
      requested += outcome.requested;
      if (outcome.stopped !== null) return unknown.of({ requested, stopped: outcome.stopped });
    }
    return unknown.of({ requested, stopped: null });
  }

  async #brake({ workspace }: Store): Promise<Brake | null> {
    const { generation } = workspace.settings;
    if (generation.mode === 'off') return { reason: 'generation.mode is off', mayLook: false };
    const known = await this.state.workspace(workspace.key);
    const credits = known?.creditsRemaining;
    if (credits == null || credits >= generation.minCreditsRemaining) return null;
    return {
      reason: `${String(credits)} credits remain, fewer than generation.minCreditsRemaining (${String(generation.minCreditsRemaining)})`,
      mayLook: await this.state.isCreditReportStale(workspace.key, REPORT_HOLDS_HOURS),
    };
  }

  async #braked(
    store: Store,
    { reason }: Brake,
    products: readonly StoreProductEntity[],
    runId: string | null,
    before: number,
    fence: Fence,
  ): Promise<GenerationOutcome> {
    const { requested } =
      products.length === 0 ? { requested: 0 } : await this.requestFor(store, products, runId, fence);
    const looked =
      requested === 0
        ? ''
        : `; that was reported over ${String(REPORT_HOLDS_HOURS)} hours ago, so that one product was asked for to learn how many there are`;
    return { requested: before + requested, stopped: reason + looked, atLimit: true };
  }

  /**
   * Requests content for the given linked products in one request. Products with an open task are skipped. When the fence throws, the
   * products are due again.
   */
  async requestFor(
    store: Store,
    products: readonly StoreProductEntity[],
    runId: string | null,
    fence: Fence = () => undefined,
  ): Promise<GenerationOutcome> {
    const { settings, client } = store.workspace;
    const tasks = await this.tasks.open(products, runId, settings.tasks.pollSeconds * 1000);
    if (tasks.length === 0) return { requested: 0, stopped: null };
    killPoint('generate.opened');
    await this.#lookBefore(store, tasks);
    const request = { isSent: false };
    const beforeSend = (): void => {
      // Only a request that was not carried out is sent again.
      request.isSent = false;
      fence();
      request.isSent = true;
    };
    try {
      const answer = await client.generate(
        tasks.map((task) => ({ id: Number(task.catalogId), externalId: task.externalId })),
        { beforeSend },
      );
      killPoint('generate.asked');
      await this.tasks.answered(
        tasks.map((task) => {
          const own = answer.taskIdByProduct.get(Number(task.catalogId));
          return {
            id: task.id,
            taskId: own ?? answer.taskId ?? null,
            shared: own === undefined,
          };
        }),
      );
      killPoint('generate.answered');
      return { requested: tasks.length, stopped: null };
    } catch (error) {
      if (!(error instanceof CodedError)) {
        if (!request.isSent) await this.#reopen(tasks);
        throw error;
      }
      if (
        isCoded(error, 'invalid', 'not_found', 'conflict') &&
        !error.outcomeUnknown &&
        products.length > 1
      ) {
        return this.#halves(store, products, tasks, runId, fence);
      }
      return this.#refused(tasks, error);
    }
  }

  /**
   * Reads the products of which no push has shown the content: whatever they hold now is no result of this request. One that
   * cannot be read is asked for all the same; its task then ends by a delivery, or by content that is not what we pushed.
   */
  async #lookBefore({ workspace }: Store, tasks: readonly GenerationTaskEntity[]): Promise<void> {
    const limit = pLimit(workspace.client.requestsAtOnce);
    const unseen = tasks.filter((task) => task.askedFields === null);
    await Promise.all(
      unseen.map((task) =>
        limit(async () => {
          const product = await workspace.client.getProduct(task.catalogId).catch((error: unknown) => {
            if (error instanceof CodedError) return null;
            throw error;
          });
          if (product !== null) await this.tasks.askedOf(task.id, catalogFields(product));
        }),
      ),
    );
  }

  /** A product that the service refuses must not prevent the others. */
  async #halves(
    store: Store,
    products: readonly StoreProductEntity[],
    tasks: readonly GenerationTaskEntity[],
    runId: string | null,
    fence: Fence,
  ): Promise<GenerationOutcome> {
    await this.#reopen(tasks);
    const middle = Math.ceil(products.length / 2);
    const first = await this.requestFor(store, products.slice(0, middle), runId, fence);
    if (first.stopped !== null) return first;
    const second = await this.requestFor(store, products.slice(middle), runId, fence);
    const unknown = (first.unknown ?? 0) + (second.unknown ?? 0);
    const unknownReason = first.unknownReason ?? second.unknownReason;
    return {
      requested: first.requested + second.requested,
      stopped: second.stopped,
      ...(unknown === 0 ? {} : { unknown }),
      ...(unknownReason === undefined ? {} : { unknownReason }),
    };
  }

  /** The request was not carried out: its products are due again. */
  async #reopen(tasks: readonly GenerationTaskEntity[]): Promise<void> {
    await this.tasks.refused(
      tasks.map((task) => task.id),
      true,
    );
  }

  async #refused(tasks: readonly GenerationTaskEntity[], error: CodedError): Promise<GenerationOutcome> {
    // The next batch may be heard all the same: one connection that broke must not end the night.
    if (error.outcomeUnknown)
      return {
        requested: tasks.length,
        stopped: null,
        unknown: tasks.length,
        unknownReason: errorLine(error),
      };
    const ids = tasks.map((task) => task.id);
    if (reactionTo('generate', error) === 'give_up') {
      for (const id of ids)
        await this.tasks.settle(id, { state: 'failed', settledBy: 'poll', reason: errorLine(error) });
      // An `invalid` is about this one product. Any other error is about the call, and the next call would fail, too.
      const stopped = isCoded(error, 'invalid') ? null : `generation was refused: ${errorLine(error)}`;
      return { requested: 0, stopped };
    }
    await this.tasks.refused(ids, true);
    return { requested: 0, stopped: `generation could not be asked for: ${errorLine(error)}` };
  }
}
