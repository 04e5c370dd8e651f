import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { whoseGenerationError } from '../domain/error-policy.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { isForeign } from '../domain/external-id.js';
import { counted } from '../domain/text.js';
import { CreditRepository } from '../persistence/credit.repository.js';
import type { GenerationTaskEntity, StoreProductEntity } from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { TaskRepository } from '../persistence/task.repository.js';
import { catalogFields } from '../planner/catalog-content.js';
import { creditRoom } from '../planner/credit-room.js';
import { killPoint } from '../runtime/kill-point.js';
import type { Store } from '../connections/connections.js';
import { Asking, GENERATION_OFF, type GenerationOutcome } from './generation-asking.js';

/**
 * Credits are reported only with results. Below the minimum nothing is requested, so no report would show new
 * credits. After this time one product is requested, to learn the credits again.
 */
const REPORT_HOLDS_HOURS = 20;

/** How many products may be requested now. */
interface Allowance {
  readonly products: number;
  /** See `Asking.openMost`. */
  readonly openMost: number | null;
  /** Why it is none. */
  readonly reason: string;
  /** One product may be requested to learn the credits. */
  readonly mayLook: boolean;
}

const UNLIMITED: Allowance = {
  products: Number.POSITIVE_INFINITY,
  openMost: null,
  reason: '',
  mayLook: false,
};

/** Called right before a request is sent: what it throws keeps the request from being sent. */
type Fence = () => void;

/** Further products to request content for, at most so many; none when nothing is left. */
type NextProducts = (most: number) => Promise<readonly StoreProductEntity[]>;

function fenceOf(signal: AbortSignal): Fence {
  return () => {
    signal.throwIfAborted();
  };
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
    private readonly credits: CreditRepository,
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
    const due = onRequested ? Math.min(limit, await this.links.countGenerationDue(store.key, [])) : 0;
    const next: NextProducts = (most) => this.links.generationDue(store.key, store.workspace.key, most);
    return this.#request(new Asking(store, runId, fence), limit, next, signal, (soFar) =>
      onRequested?.(soFar, due),
    );
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
    const { maxPerRun } = store.workspace.settings.generation;
    const left = [...products];
    const next: NextProducts = (most) => Promise.resolve(left.splice(0, most));
    return this.#request(new Asking(store, null, fenceOf(signal)), maxPerRun, next, signal);
  }

  async #request(
    asking: Asking,
    limit: number,
    next: NextProducts,
    signal: AbortSignal,
    onRequested?: (soFar: number) => void,
  ): Promise<GenerationOutcome> {
    while (!asking.isOver) {
      signal.throwIfAborted();
      const products = await this.#nextBatch(asking, limit, next);
      if (products.length === 0) break;
      await this.#ask(asking, products);
      onRequested?.(asking.requested);
    }
    await this.#reopen(asking.end().map(({ task }) => task));
    return asking.outcome;
  }

  /** The products of the next request; none when nothing is left, or a limit is reached. */
  async #nextBatch(
    asking: Asking,
    limit: number,
    next: NextProducts,
  ): Promise<readonly StoreProductEntity[]> {
    const { settings, client } = asking.store.workspace;
    const { batchSize, maxPerRun } = settings.generation;
    const allowance = await this.#allowance(asking.store);
    asking.openMost = allowance.openMost;
    if (allowance.products < 1) {
      const looking = allowance.mayLook ? await next(1) : [];
      const looked =
        looking.length === 0
          ? ''
          : `; that was reported over ${String(REPORT_HOLDS_HOURS)} hours ago, so that one product was asked for to learn how many there are`;
      await this.#ask(asking, looking);
      asking.stopAtLimit(allowance.reason + looked);
      return [];
    }
    const room = limit - asking.requested;
    const batch = await next(
      Math.max(1, Math.min(batchSize, client.generationBatchLimit, allowance.products, room)),
    );
    if (batch.length === 0 || room > 0) return batch;
    asking.stopAtLimit(`generation.maxPerRun (${String(maxPerRun)}) reached`);
    return [];
  }

  /** Open requests have their cost reserved: the service reports credits only with their results. */
  async #allowance({ workspace }: Store): Promise<Allowance> {
    const { mode, minCreditsRemaining } = workspace.settings.generation;
    if (mode === 'off') return { ...UNLIMITED, products: 0, reason: GENERATION_OFF };
    if (minCreditsRemaining === 0) return UNLIMITED;
    const known = await this.state.workspace(workspace.key);
    if (known?.creditsRemaining == null) return UNLIMITED;
    const open = await this.tasks.countOpen(workspace.key);
    const openMost = creditRoom({
      remaining: known.creditsRemaining,
      minimum: minCreditsRemaining,
      each: await this.credits.perGeneration(workspace.key),
      open: 0,
    });
    if (openMost === Number.POSITIVE_INFINITY) return UNLIMITED;
    if (openMost > open) return { ...UNLIMITED, products: openMost - open, openMost };
    const reserved = open === 0 ? '' : `, ${counted(open, 'request is', 'requests are')} open`;
    return {
      products: 0,
      // For the look: one store of the workspace makes it.
      openMost: open + 1,
      reason: `${counted(known.creditsRemaining, 'credit remains', 'credits remain')}${reserved}: one more would leave fewer than generation.minCreditsRemaining (${String(minCreditsRemaining)})`,
      mayLook: await this.state.isCreditReportStale(workspace.key, REPORT_HOLDS_HOURS),
    };
  }

  /** One request. Products with an open task are skipped. When the fence throws, the products are due again. */
  async #ask(asking: Asking, products: readonly StoreProductEntity[]): Promise<void> {
    if (products.length === 0 || asking.isOver) return;
    const { settings, client } = asking.store.workspace;
    const opened = await this.tasks.open(products, {
      workspace: asking.store.workspace.key,
      runId: asking.runId,
      firstPollMs: settings.tasks.pollSeconds * 1000,
      openMost: asking.openMost,
    });
    if (opened.length === 0) return;
    killPoint('generate.opened');
    const tasks = await this.#lookBefore(asking.store, opened);
    if (tasks.length === 0) return;
    const request = { isSent: false };
    const beforeSend = (): void => {
      // Only a request that was not carried out is sent again.
      request.isSent = false;
      asking.fence();
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
      await this.#fail(asking.accepted(tasks.length));
    } catch (error) {
      if (!(error instanceof CodedError)) {
        if (!request.isSent) await this.#reopen(tasks);
        throw error;
      }
      const asked = new Set(tasks.map(({ externalId }) => externalId));
      await this.#refused(
        asking,
        products.filter(({ externalId }) => asked.has(externalId)),
        tasks,
        error,
      );
    }
  }

  /**
   * Reads the products that this run has not pushed: whatever they hold now is no result of the request. One that is somebody else's by
   * now is not asked for. One that cannot be read is asked for all the same; its task then ends by a delivery, or by content that is not
   * what we pushed.
   */
  async #lookBefore(
    { workspace }: Store,
    tasks: readonly GenerationTaskEntity[],
  ): Promise<readonly GenerationTaskEntity[]> {
    const limit = pLimit(workspace.client.requestsAtOnce);
    const lost = new Set<GenerationTaskEntity>();
    await Promise.all(
      tasks
        .filter((task) => task.askedFields === null)
        .map((task) =>
          limit(async () => {
            const reason = await this.#whyNotAsked(workspace, task);
            if (reason === null) return;
            lost.add(task);
            await this.tasks.settle(task.id, { state: 'failed', settledBy: 'poll', reason });
          }),
        ),
    );
    return tasks.filter((task) => !lost.has(task));
  }

  async #whyNotAsked({ client }: Store['workspace'], task: GenerationTaskEntity): Promise<string | null> {
    try {
      const product = await client.getProduct(task.catalogId);
      if (isForeign(product.external_id, task.externalId))
        return `its catalog product belongs to ${product.external_id ?? ''} now`;
      await this.tasks.askedOf(task.id, catalogFields(product));
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
    }
    return null;
  }

  async #refused(
    asking: Asking,
    products: readonly StoreProductEntity[],
    tasks: readonly GenerationTaskEntity[],
    error: CodedError,
  ): Promise<void> {
    // The next batch may be heard all the same: one connection that broke must not end the night.
    if (error.outcomeUnknown) {
      asking.unanswered(tasks.length, error);
      return;
    }
    const [only, ...others] = tasks;
    const isAlone = others.length === 0;
    const whose = whoseGenerationError(error, {
      isAlone,
      productFields: asking.store.workspace.client.generationProductFields,
    });
    if (whose === 'product' && isAlone && only !== undefined) {
      await this.#fail([{ task: only, reason: errorLine(error) }]);
    } else if (whose === 'unclear' && isAlone && only !== undefined) {
      await this.#fail(asking.unclear({ task: only, reason: errorLine(error) }));
    } else {
      await this.#reopen(tasks);
      if (whose === 'call') asking.refuseCall(errorLine(error));
      else if (whose === 'workspace')
        asking.stop(`generation could not be asked for: ${errorLine(error)}`, error);
      else {
        // A product that the service refuses must not prevent the others.
        const middle = Math.ceil(products.length / 2);
        await this.#ask(asking, products.slice(0, middle));
        await this.#ask(asking, products.slice(middle));
      }
    }
  }

  async #fail(
    refusals: readonly { readonly task: GenerationTaskEntity; readonly reason: string }[],
  ): Promise<void> {
    for (const { task, reason } of refusals)
      await this.tasks.settle(task.id, { state: 'failed', settledBy: 'poll', reason });
  }

  /** The requests were not carried out: their products are due again. */
  async #reopen(tasks: readonly GenerationTaskEntity[]): Promise<void> {
    await this.tasks.refused(tasks.map((task) => task.id));
  }
}
