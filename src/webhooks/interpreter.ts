import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ArrivedPart } from '../domain/arrived-content.js';
import { BACKOFF } from '../domain/backoff.js';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine } from '../domain/errors.js';
import type { DeliveryState } from '../domain/row-states.js';
import { CRASHES_MOST, DATABASE_BACK_MS } from '../persistence/crash-count.js';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import type {
  GenerationTaskEntity,
  StoreProductEntity,
  WebhookDeliveryEntity,
} from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { DatabaseAwayError } from '../persistence/statement-error.js';
import { StateRepository } from '../persistence/state.repository.js';
import { TaskRepository } from '../persistence/task.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { contentFingerprint } from '../planner/plan-write-back.js';
import { holdsContent } from '../planner/translations.js';
import { ROW_LEASE_MS, whileHeld } from '../runtime/held-lease.js';
import { killPoint } from '../runtime/kill-point.js';
import { Logger } from '../runtime/logger.js';
import { repeatFor } from '../runtime/time-limit.js';
import { Sites, type Store } from '../sites/sites.js';
import { DeliverySubjects } from './delivery-subject.js';
import { readDelivery, type ReceivedDelivery } from './received-delivery.js';
import { resultContent, variantContent, type ResultContent } from './result-content.js';
import { usedSources } from './used-sources.js';
import { parked, processed, type Verdict } from './verdict.js';
import { messages } from './messages.js';

/** The result of one attempt at a delivery. */
export interface Interpretation {
  /** The state of the delivery; null when it was not interpreted, because it is settled or another worker has it. */
  readonly state: DeliveryState | null;
  /** The write-back that became ready, if any. */
  readonly writeBackId: string | null;
}

const NOT_OURS: Interpretation = { state: null, writeBackId: null };

/**
 * Interprets stored deliveries (docs/catalog-rules.md#events): settles the generation task once, and turns a
 * generated product into an intended write-back. It may fail and be repeated without the sender knowing. Its result
 * does not depend on the order of deliveries.
 */
@Injectable()
export class DeliveryInterpreter {
  private readonly log: Logger;
  private readonly subjects: DeliverySubjects;

  constructor(
    private readonly sites: Sites,
    private readonly deliveries: DeliveryRepository,
    private readonly links: LinkRepository,
    private readonly tasks: TaskRepository,
    private readonly writeBacks: WriteBackRepository,
    private readonly state: StateRepository,
    logger: Logger,
  ) {
    this.log = logger.child({ stage: 'webhooks' });
    this.subjects = new DeliverySubjects(links, tasks);
  }

  async interpret(id: string): Promise<Interpretation> {
    const lease = randomUUID();
    const row = await this.deliveries.claim(id, lease, ROW_LEASE_MS);
    if (row === null) return NOT_OURS;
    try {
      return await this.#interpret(row, lease);
    } catch (error) {
      if (error instanceof DatabaseAwayError)
        await repeatFor(DATABASE_BACK_MS, () => this.deliveries.handBack(id, lease)).catch(() => undefined);
      throw error;
    }
  }

  async #interpret(row: WebhookDeliveryEntity, lease: string): Promise<Interpretation> {
    killPoint('interpret.claimed');
    const found: Found = { externalId: null, taskId: null };
    let verdict: Verdict;
    try {
      verdict =
        row.crashCount > CRASHES_MOST
          ? crashedVerdict(row)
          : await whileHeld(
              () => this.deliveries.keepLease(row.id, lease, ROW_LEASE_MS),
              () => this.#judge(row, found),
            );
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      const { code } = error;
      verdict =
        reactionTo('interpret', error) === 'retry'
          ? { kind: 'later', code, note: errorLine(error) }
          : { kind: 'settled', state: 'failed', code, note: errorLine(error) };
    }
    const { code } = verdict;
    const wait = BACKOFF.delivery.stepMs(row.attempts);
    if (verdict.kind === 'later' && wait !== null) {
      await this.deliveries.postpone(row.id, lease, wait, verdict.note);
      this.log.info({ ...idsOf(row, found), code, waitMs: wait }, 'delivery postponed');
      return { state: 'received', writeBackId: null };
    }
    const end = verdict.kind === 'later' ? { state: 'parked' as const, note: verdict.note } : verdict;
    const isOurs = await this.deliveries.settle(row.id, lease, {
      state: end.state,
      note: end.note,
      ...found,
    });
    killPoint('interpret.done');
    if (!isOurs) return NOT_OURS;
    const line = { ...idsOf(row, found), state: end.state, code };
    if (end.state === 'processed') this.log.info(line, 'delivery settled');
    else this.log.warn(line, `delivery ${end.state}`);
    return {
      state: end.state,
      writeBackId: verdict.kind === 'settled' ? (verdict.writeBackId ?? null) : null,
    };
  }

  async #judge(row: WebhookDeliveryEntity, found: Found): Promise<Verdict> {
    const delivery = readDelivery(row, this.sites);
    if ('kind' in delivery) return delivery;
    const { body } = delivery;
    found.taskId = body.task?.id ?? null;
    await this.#reportCredits(delivery);
    const { link, task, variant } = await this.subjects.of(delivery);
    found.externalId = variant ?? link?.externalId ?? task?.externalId ?? body.product?.external_id ?? null;
    if (link === null) return { kind: 'later', code: 'unknown_product', note: messages.unknownProduct };
    if (variant !== null) return this.#variantResult(delivery, link, variant);
    return this.#settle(delivery, link, task);
  }

  async #reportCredits({ row, body, updatedAt }: ReceivedDelivery): Promise<void> {
    const remaining = body.credits?.remaining;
    if (remaining == null) return;
    await this.state.reportCredits(row.workspace, remaining, updatedAt ?? row.receivedAt);
  }

  async #settle(
    delivery: ReceivedDelivery,
    link: StoreProductEntity,
    task: GenerationTaskEntity | null,
  ): Promise<Verdict> {
    const { action } = delivery.body;
    if (action === 'product_generated') return this.#generated(delivery, link, task);
    const ending = Object.hasOwn(UNSUCCESSFUL, action) ? UNSUCCESSFUL[action] : undefined;
    if (ending === undefined) return parked('unknown_action', messages.unknownAction(action.slice(0, 100)));
    const given = delivery.body.reason_for_failure?.trim() ?? '';
    const reason = given === '' ? ending.reason : given.slice(0, 1000);
    const settled = await this.#settleTask(delivery, link, task, ending.state, reason);
    const note = settled ? messages.ended : messages.endedLate;
    return processed(ending.state, note(reason));
  }

  /** Settles the task, or records one that was not requested here, so that it is visible. */
  async #settleTask(
    { row, body, createdAt }: ReceivedDelivery,
    link: StoreProductEntity,
    task: GenerationTaskEntity | null,
    state: 'succeeded' | 'failed' | 'no_urls',
    reason: string | null,
  ): Promise<boolean> {
    const taskId = body.task?.id ?? null;
    if (task !== null) {
      const settled = await this.tasks.settle(task.id, { state, settledBy: row.via, reason, taskId });
      if (!settled && taskId !== null) await this.tasks.nameOwn(task.id, taskId);
      return settled;
    }
    return this.tasks.recordUnasked(link, {
      taskId,
      state,
      reason,
      seen: await this.#seenBefore(link, createdAt),
      settledBy: row.via,
      receivedAt: row.receivedAt,
      at: createdAt ?? row.receivedAt,
    });
  }

  async #generated(
    delivery: ReceivedDelivery,
    link: StoreProductEntity,
    task: GenerationTaskEntity | null,
  ): Promise<Verdict> {
    const { row } = delivery;
    const store = this.sites.findStore(link.store);
    if (!store) return parked('unknown_store', messages.storeGone(link.store));
    // Fetched before anything is settled, so that a fault leaves the delivery unchanged.
    const mayWait = BACKOFF.delivery.stepMs(row.attempts) !== null;
    const content = await resultContent(store, link, delivery, mayWait);
    for (const { locale, code } of content.missing)
      this.log.warn(
        { deliveryId: row.id, externalId: link.externalId, locale, code },
        messages.noTextInLanguage,
      );
    await this.#settleTask(delivery, link, task, 'succeeded', null);
    if (content.held !== null) await this.links.sawCatalogFields(link.externalId, content.held);
    killPoint('interpret.task-ended');
    const { code, note, writeBackId } = await this.#intend(delivery, store, link, task, content);
    const notes = [note, ...content.missing.map(({ locale, reason }) => `${locale}: ${reason}`)];
    return processed(code, notes.join('; '), writeBackId);
  }

  /** A variant's result is never its product's: it is written to the variant's metafields, or it is recorded and shown. */
  async #variantResult(
    delivery: ReceivedDelivery,
    link: StoreProductEntity,
    variant: string,
  ): Promise<Verdict> {
    const action = delivery.body.action.slice(0, 100);
    const store = this.sites.findStore(link.store);
    if (!store || action !== 'product_generated')
      return processed('variant_result', messages.ofVariant(action, variant));
    const content = await variantContent(store, variant, delivery);
    const { code, note, writeBackId } = await this.#intend(
      delivery,
      store,
      { externalId: link.externalId, seenFields: {} },
      null,
      content,
      variant,
    );
    return processed(code, `${messages.ofVariant(action, variant)}; ${note}`, writeBackId);
  }

  /** The write-back that the result leads to, if it leads to one. */
  async #intend(
    { row, body, createdAt }: ReceivedDelivery,
    store: Store,
    link: Pick<StoreProductEntity, 'externalId' | 'seenFields'>,
    task: GenerationTaskEntity | null,
    { intended, arrived }: Pick<ResultContent, 'intended' | 'arrived'>,
    variant: string | null = null,
  ): Promise<{ readonly code: string; readonly note: string; readonly writeBackId?: string }> {
    const { mode } = store.settings.writeBack;
    if (mode === 'off') return { code: 'write_back_off', note: messages.writeBackOff };
    if (!holdsContent(intended)) return { code: 'nothing_to_write', note: nothingToWrite(arrived) };
    const seen = task?.seen ?? (await this.#seenBefore(link, createdAt));
    const intent = await this.writeBacks.intend({
      store: store.key,
      workspace: row.workspace,
      externalId: link.externalId,
      deliveryId: row.id,
      variant,
      contentFingerprint: contentFingerprint(intended),
      resultAt: createdAt ?? task?.requestedAt ?? row.receivedAt,
      taskRequestedAt: task?.requestedAt ?? null,
      state: mode === 'review' ? 'pending_review' : 'ready',
      intended,
      arrived,
      seen,
      runId: task?.runId ?? null,
      sources: usedSources(body),
      creditsConsumed: body.credits?.consumed ?? null,
    });
    killPoint('interpret.intended');
    const verdict = mode === 'review' && intent.kind === 'new' ? WAITS_FOR_REVIEW : INTENTS[intent.kind];
    return 'id' in intent ? { ...verdict, writeBackId: intent.id } : verdict;
  }

  /** The values of the store that the service can have known when it began a generation that was not requested here. */
  async #seenBefore(
    link: Pick<StoreProductEntity, 'externalId' | 'seenFields'>,
    createdAt: Date | null,
  ): Promise<Record<string, string>> {
    const isKnown = createdAt !== null && Object.keys(link.seenFields).length > 0;
    return isKnown ? this.links.seenWhen(link, createdAt) : link.seenFields;
  }
}

function nothingToWrite(arrived: readonly ArrivedPart[]): string {
  const unmapped = arrived.filter(({ fate }) => fate === 'not_mapped').map(({ from }) => from);
  if (unmapped.length === 0) return messages.nothingToWrite;
  const named = unmapped.slice(0, 5).join(', ');
  return messages.nothingMapped(`${named}${unmapped.length > 5 ? ' …' : ''}`);
}

/** Events that end a request without content. */
const UNSUCCESSFUL: Readonly<
  Record<string, { readonly state: 'failed' | 'no_urls'; readonly reason: string }>
> = {
  product_generation_failed: { state: 'failed', reason: messages.failed },
  product_generation_no_urls: {
    state: 'no_urls',
    reason: messages.noUrls,
  },
};

const INTENTS = {
  older: { code: 'older', note: messages.older },
  known: { code: 'known', note: messages.known },
  new: { code: 'intended', note: messages.intended },
} as const;
const WAITS_FOR_REVIEW = { code: 'intended', note: messages.waitsForReview } as const;

interface Found {
  externalId: string | null;
  taskId: string | null;
}

function idsOf(
  { id, workspace, via, action }: WebhookDeliveryEntity,
  { externalId, taskId }: Found,
): Record<string, string | null> {
  return { deliveryId: id, externalId, taskId, workspace, via, action: action?.slice(0, 100) ?? null };
}

function crashedVerdict(row: WebhookDeliveryEntity): Verdict {
  return {
    kind: 'settled',
    state: 'parked',
    code: 'crashed',
    note: messages.crashed(row.crashCount - 1),
  };
}
