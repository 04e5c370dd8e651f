import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BACKOFF } from '../domain/backoff.js';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine } from '../domain/errors.js';
import type { DeliveryState } from '../domain/row-states.js';
import { CRASHES_MOST, DATABASE_BACK_MS } from '../persistence/crash-count.js';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import type { StoreProductEntity, WebhookDeliveryEntity } from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { DatabaseAwayError } from '../persistence/statement-error.js';
import { StateRepository } from '../persistence/state.repository.js';
import { TaskRepository } from '../persistence/task.repository.js';
import { ResultRepository } from '../persistence/result.repository.js';
import { whileHeld } from '../runtime/held-lease.js';
import { killPoint } from '../runtime/kill-point.js';
import { Logger } from '../runtime/logger.js';
import { repeatFor } from '../runtime/time-limit.js';
import { idOf } from '../runtime/untrusted-json.js';
import { Connections } from '../connections/connections.js';
import { DeliverySubjects, mayAnswer, type Subject } from './delivery-subject.js';
import { ForeignProductError, refuseForeign } from './foreign-product.js';
import { GeneratedResults } from './generated-results.js';
import { readDelivery, type ReceivedDelivery } from './received-delivery.js';
import { recordUnasked, seenBefore, settleTask } from './task-ends.js';
import { parked, processed, type Verdict } from './verdict.js';

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
 * generated product into an intended write-back. It may fail and be repeated without the sender knowing. The order of results is that of their
 * receipt (docs/decisions/0029-one-order-of-results.md).
 */
@Injectable()
export class DeliveryInterpreter {
  private readonly log: Logger;
  private readonly subjects: DeliverySubjects;
  private readonly generated: GeneratedResults;

  constructor(
    private readonly connections: Connections,
    private readonly deliveries: DeliveryRepository,
    private readonly links: LinkRepository,
    private readonly tasks: TaskRepository,
    results: ResultRepository,
    private readonly state: StateRepository,
    logger: Logger,
  ) {
    this.log = logger.child({ stage: 'webhooks' });
    this.subjects = new DeliverySubjects(links, tasks, results);
    this.generated = new GeneratedResults(connections, links, tasks, results, this.subjects, this.log);
  }

  async interpret(id: string): Promise<Interpretation> {
    const lease = randomUUID();
    const row = await this.deliveries.claim(id, lease);
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
              () => this.deliveries.keepLease(row.id, lease),
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
    const delivery = readDelivery(row, this.connections);
    if ('kind' in delivery) return delivery;
    const { body } = delivery;
    found.taskId = body.task?.id ?? null;
    await this.#reportCredits(delivery);
    const subject = await this.subjects.of(delivery);
    const { link, task, variant } = subject;
    found.externalId =
      variant ?? link?.externalId ?? task?.externalId ?? idOf(body.product?.external_id) ?? null;
    if (link === null)
      return { kind: 'later', code: 'unknown_product', note: 'no linked product matches it' };
    try {
      if (variant !== null) return await this.generated.ofVariant(delivery, subject, link);
      refuseForeign(link, body.product);
      if (body.action === 'product_generated') return await this.generated.ofProduct(delivery, subject, link);
      return await this.#unsuccessful(delivery, subject, link);
    } catch (error) {
      if (!(error instanceof ForeignProductError)) throw error;
      await this.links.lostToAnother(link, error.message);
      this.log.warn({ deliveryId: row.id, externalId: link.externalId }, error.message);
      return parked('not_ours', error.message);
    }
  }

  async #reportCredits({ row, body, updatedAt }: ReceivedDelivery): Promise<void> {
    const remaining = body.credits?.remaining;
    if (remaining == null) return;
    await this.state.reportCredits(row.workspace, remaining, updatedAt ?? row.receivedAt);
  }

  /** A request that ended without content. */
  async #unsuccessful(
    delivery: ReceivedDelivery,
    { task, candidate }: Subject,
    link: StoreProductEntity,
  ): Promise<Verdict> {
    const { action, reason_for_failure: given } = delivery.body;
    const ending = Object.hasOwn(UNSUCCESSFUL, action) ? UNSUCCESSFUL[action] : undefined;
    if (ending === undefined) return parked('unknown_action', `unknown action "${action.slice(0, 100)}"`);
    const { state } = ending;
    const trimmed = given?.trim() ?? '';
    const reason = trimmed === '' ? ending.reason : trimmed.slice(0, 1000);
    const ended = task ?? (candidate !== null && mayAnswer(delivery, candidate) ? candidate : null);
    const settled =
      ended === null
        ? await recordUnasked(this.tasks, delivery, link, {
            state,
            reason,
            seen: await seenBefore(this.links, link, delivery.createdAt),
          })
        : await settleTask(this.tasks, delivery, ended, { state, reason });
    const note = settled ? 'no content' : 'no content, but the task was settled before';
    return processed(state, `${note}: ${reason}`);
  }
}

/** Events that end a request without content. */
const UNSUCCESSFUL: Readonly<
  Record<string, { readonly state: 'failed' | 'no_urls'; readonly reason: string }>
> = {
  product_generation_failed: { state: 'failed', reason: 'generation failed' },
  product_generation_no_urls: {
    state: 'no_urls',
    reason: 'no source URLs could be found for the product',
  },
};

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
    note: `${String(row.crashCount - 1)} workers crashed on this delivery; it was set aside. Please report a bug.`,
  };
}
