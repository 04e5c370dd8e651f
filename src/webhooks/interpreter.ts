import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { deliverySchema, type CatalogDelivery, type CatalogProduct } from '../catalog/schemas.js';
import { readUntrustedJson } from '../catalog/untrusted-json.js';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { parseExternalId, productExternalId } from '../domain/external-id.js';
import type { DeliveryState } from '../domain/row-states.js';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import type {
  GenerationTaskEntity,
  StoreProductEntity,
  WebhookDeliveryEntity,
} from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { TaskRepository } from '../persistence/task.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { contentFingerprint } from '../planner/plan-write-back.js';
import { holdsContent } from '../planner/translations.js';
import { ROW_LEASE_MS, whileHeld } from '../runtime/held-lease.js';
import { killPoint } from '../runtime/kill-point.js';
import { Logger } from '../runtime/logger.js';
import { Sites, type Store, type Workspace } from '../sites/sites.js';
import { resultContent, type ResultContent } from './result-content.js';

/** What became of a delivery: settled with a note, or to be looked at again. */
type Verdict =
  | {
      readonly kind: 'settled';
      readonly state: 'processed' | 'parked' | 'failed';
      /** The note's reason as a word for logs: notes quote what the service said, and may hold a product's text. */
      readonly code: string;
      readonly note: string;
      readonly writeBackId?: string;
    }
  | { readonly kind: 'later'; readonly code: string; readonly note: string };

/** What a look at a delivery led to. */
export interface Interpretation {
  /** As the delivery stands now; null when it was not to be looked at: it is settled, or somebody else has it. */
  readonly state: DeliveryState | null;
  /** The write-back that is ready to be worked on, if it led to one. */
  readonly writeBackId: string | null;
}

const NOT_OURS: Interpretation = { state: null, writeBackId: null };

interface Subject {
  readonly link: StoreProductEntity | null;
  readonly task: GenerationTaskEntity | null;
}

/** A delivery whose interpretation ended so often by killing its worker is set aside for a person. */
const UNENDED_MOST = 5;
/** A delivery may overtake what makes its product known: the answer to a creation, a link that is being found. */
const WAITS_MS = [500, 2_000, 10_000, 60_000, 300_000, 900_000];
/** Result and request may carry the clocks of two machines. */
const CLOCK_SKEW_MS = 300_000;

/**
 * Interprets stored deliveries (docs/catalog-rules.md#events): settles the generation task once, and turns a generated product into
 * an intended write-back. It may fail and be repeated without the sender knowing; nothing it does depends on the order in
 * which deliveries come.
 */
@Injectable()
export class DeliveryInterpreter {
  private readonly log: Logger;

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
  }

  async interpret(id: string): Promise<Interpretation> {
    const lease = randomUUID();
    const row = await this.deliveries.claim(id, lease, ROW_LEASE_MS);
    if (row === null) return NOT_OURS;
    killPoint('settle.claimed');
    const found = { externalId: null as string | null, taskId: null as string | null };
    let verdict: Verdict;
    try {
      verdict =
        row.unended > UNENDED_MOST
          ? unendedVerdict(row)
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
    const wait = WAITS_MS[row.attempts - 1];
    if (verdict.kind === 'later' && wait !== undefined) {
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
    killPoint('settle.settled');
    if (!isOurs) return NOT_OURS;
    const line = { ...idsOf(row, found), state: end.state, code };
    if (end.state === 'processed') this.log.info(line, 'delivery settled');
    else this.log.warn(line, `delivery ${end.state}`);
    return {
      state: end.state,
      writeBackId: verdict.kind === 'settled' ? (verdict.writeBackId ?? null) : null,
    };
  }

  async #judge(
    row: WebhookDeliveryEntity,
    found: { externalId: string | null; taskId: string | null },
  ): Promise<Verdict> {
    const body = readUntrustedJson(row.rawBody);
    if (!body.ok) return parked('unreadable', 'the body is not readable as JSON in UTF-8');
    const parsed = deliverySchema.safeParse(body.value);
    if (!parsed.success)
      return parked('no_delivery', `the body is no delivery: ${whereAndWhat(parsed.error)}`);
    const workspace = this.sites.workspace(row.workspace);
    if (!workspace) return parked('unknown_workspace', `workspace ${row.workspace} is no longer configured`);
    const delivery = parsed.data;
    found.taskId = delivery.task?.id ?? null;
    await this.#reportCredits(row, delivery);
    const subject = await this.#subjectOf(row.workspace, delivery);
    found.externalId =
      subject.link?.externalId ?? subject.task?.externalId ?? delivery.product?.external_id ?? null;
    if (subject.link === null)
      return { kind: 'later', code: 'unknown_product', note: 'no linked product is known for it' };
    return this.#settle(row, delivery, workspace, subject.link, subject.task);
  }

  async #reportCredits(row: WebhookDeliveryEntity, delivery: CatalogDelivery): Promise<void> {
    const remaining = delivery.credits?.remaining;
    if (remaining == null) return;
    await this.state.reportCredits(
      row.workspace,
      remaining,
      dateOf(delivery.task?.updated_at) ?? row.receivedAt,
    );
  }

  /** The product by its external_id, by its catalog id, or by the task that was asked for; whichever is known. */
  async #subjectOf(workspace: string, delivery: CatalogDelivery): Promise<Subject> {
    const taskId = delivery.task?.id;
    const byTask = taskId === undefined ? null : await this.tasks.byTaskId(workspace, taskId);
    const link =
      (await this.#linkOf(workspace, delivery.product)) ?? (await this.#linkOfTask(delivery, byTask));
    if (link === null) return { link: null, task: byTask };
    return { link, task: await this.#taskOf(link, delivery, byTask) };
  }

  async #linkOf(
    workspace: string,
    product: CatalogProduct | null | undefined,
  ): Promise<StoreProductEntity | null> {
    if (product == null) return null;
    const ref = parseExternalId(product.external_id ?? '');
    if (ref !== null) {
      const link = await this.links.get(productExternalId(ref.shop, ref.productId));
      if (link?.workspace === workspace && link.catalogId !== null) return link;
    }
    return this.links.byCatalogId(workspace, String(product.id));
  }

  /** A shared task names no single product. */
  async #linkOfTask(
    delivery: CatalogDelivery,
    task: GenerationTaskEntity | null,
  ): Promise<StoreProductEntity | null> {
    if (delivery.product != null || task === null) return null;
    if (task.taskIsShared && !(await this.tasks.isOnlyOne(task))) return null;
    return this.links.get(task.externalId);
  }

  /** The ledger's row that this delivery answers: by task id, else the product's open one unless it is clearly another's. */
  async #taskOf(
    link: StoreProductEntity,
    delivery: CatalogDelivery,
    byTask: GenerationTaskEntity | null,
  ): Promise<GenerationTaskEntity | null> {
    if (byTask?.externalId === link.externalId) return byTask;
    const open = await this.tasks.openFor(link.externalId);
    const candidate = open ?? (await this.#abandonedTask(link));
    if (candidate === null) return null;
    const taskId = delivery.task?.id;
    const ownsAnother =
      candidate.taskId !== null &&
      !candidate.taskIsShared &&
      taskId !== undefined &&
      taskId !== candidate.taskId;
    const startedAt = dateOf(delivery.task?.created_at);
    const tooOld =
      startedAt !== null && startedAt.getTime() < candidate.requestedAt.getTime() - CLOCK_SKEW_MS;
    return ownsAnother || tooOld ? null : candidate;
  }

  async #abandonedTask(link: StoreProductEntity): Promise<GenerationTaskEntity | null> {
    const newest = await this.tasks.newest(link.externalId);
    return newest?.state === 'abandoned' ? newest : null;
  }

  async #settle(
    row: WebhookDeliveryEntity,
    delivery: CatalogDelivery,
    workspace: Workspace,
    link: StoreProductEntity,
    task: GenerationTaskEntity | null,
  ): Promise<Verdict> {
    switch (delivery.action) {
      case 'product_generated':
        return this.#generated(row, delivery, workspace, link, task);
      case 'product_generation_failed':
        return this.#unsuccessful(row, delivery, link, task, 'failed', 'generation failed');
      case 'product_generation_no_urls':
        return this.#unsuccessful(
          row,
          delivery,
          link,
          task,
          'no_urls',
          'no source URLs could be found for the product',
        );
      default:
        return parked('unknown_action', `unknown action "${delivery.action.slice(0, 100)}"`);
    }
  }

  async #unsuccessful(
    row: WebhookDeliveryEntity,
    delivery: CatalogDelivery,
    link: StoreProductEntity,
    task: GenerationTaskEntity | null,
    state: 'failed' | 'no_urls',
    fallback: string,
  ): Promise<Verdict> {
    const given = delivery.reason_for_failure?.trim();
    const reason = given === undefined || given === '' ? fallback : given.slice(0, 1000);
    const settled = await this.#settleTask(row, link, task, delivery, state, reason);
    return {
      kind: 'settled',
      state: 'processed',
      code: state,
      note: settled ? `${state}: ${reason}` : `${state}, but the task was settled before: ${reason}`,
    };
  }

  /** Settles the task, or records one that we did not ask for, so that it is shown all the same. */
  async #settleTask(
    row: WebhookDeliveryEntity,
    link: StoreProductEntity,
    task: GenerationTaskEntity | null,
    delivery: CatalogDelivery,
    state: 'succeeded' | 'failed' | 'no_urls',
    reason: string | null,
  ): Promise<boolean> {
    const taskId = delivery.task?.id ?? null;
    if (task !== null) return this.tasks.settle(task.id, { state, settledBy: row.via, reason, taskId });
    return this.tasks.recordUnasked(link, {
      taskId,
      at: dateOf(delivery.task?.created_at) ?? row.receivedAt,
      receivedAt: row.receivedAt,
      state,
      settledBy: row.via,
      reason,
    });
  }

  async #generated(
    row: WebhookDeliveryEntity,
    delivery: CatalogDelivery,
    workspace: Workspace,
    link: StoreProductEntity,
    task: GenerationTaskEntity | null,
  ): Promise<Verdict> {
    const store = this.sites.findStore(link.store);
    if (!store) return parked('unknown_store', `store ${link.store} is no longer configured`);
    // Fetched before anything is settled: a fault here leaves the delivery as it was.
    const mayWait = WAITS_MS[row.attempts - 1] !== undefined;
    const content = await resultContent(store, workspace, link, delivery.product, mayWait);
    for (const { locale, code } of content.missing)
      this.log.warn(
        { deliveryId: row.id, externalId: link.externalId, locale, code },
        'the catalog gives no text in this language',
      );
    await this.#settleTask(row, link, task, delivery, 'succeeded', null);
    killPoint('settle.task-settled');
    return this.#intend(row, delivery, store, link, task, content);
  }

  async #intend(
    row: WebhookDeliveryEntity,
    delivery: CatalogDelivery,
    store: Store,
    link: StoreProductEntity,
    task: GenerationTaskEntity | null,
    { intended, missing }: ResultContent,
  ): Promise<Verdict> {
    const processed = (code: string, note: string, writeBackId?: string): Verdict => ({
      kind: 'settled',
      state: 'processed',
      code,
      note: [note, ...missing.map(({ locale, reason }) => `${locale}: ${reason}`)].join('; '),
      ...(writeBackId === undefined ? {} : { writeBackId }),
    });
    const { writeBack } = store.settings;
    if (writeBack.mode === 'off') return processed('write_back_off', 'generated; writeBack.mode is off');
    if (!holdsContent(intended))
      return processed('nothing_to_write', 'generated, but it holds nothing that may be written');
    const intent = await this.writeBacks.intend({
      store: store.key,
      workspace: row.workspace,
      externalId: link.externalId,
      deliveryId: row.id,
      contentFingerprint: contentFingerprint(intended),
      resultAt: dateOf(delivery.task?.created_at) ?? task?.requestedAt ?? row.receivedAt,
      taskRequestedAt: task?.requestedAt ?? null,
      state: writeBack.mode === 'review' ? 'pending_review' : 'ready',
      intended,
      seen: task?.seen ?? link.seenFields,
    });
    killPoint('settle.intended');
    switch (intent.kind) {
      case 'older':
        return processed('older', 'generated, but a newer result was taken already');
      case 'known':
        return processed('known', 'generated; the same result was taken already', intent.id);
      case 'new':
        return processed(
          'intended',
          writeBack.mode === 'review' ? 'generated; waits for review' : 'generated; to be written back',
          intent.id,
        );
    }
  }
}

function parked(code: string, note: string): Verdict {
  return { kind: 'settled', state: 'parked', code, note };
}

function idsOf(
  { id, workspace, via, action }: WebhookDeliveryEntity,
  { externalId, taskId }: { externalId: string | null; taskId: string | null },
): Record<string, string | null> {
  return { deliveryId: id, externalId, taskId, workspace, via, action: action?.slice(0, 100) ?? null };
}

function unendedVerdict(row: WebhookDeliveryEntity): Verdict {
  const times = String(row.unended - 1);
  return {
    kind: 'settled',
    state: 'parked',
    code: 'unended',
    note: `its interpretation began ${times} times in a row and never ended: whoever worked on it died`,
  };
}

function dateOf(text: string | null | undefined): Date | null {
  if (text === null || text === undefined) return null;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
}

function whereAndWhat(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`)
    .join('; ');
}
