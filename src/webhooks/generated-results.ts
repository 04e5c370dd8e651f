import { CodedError } from '../domain/errors.js';
import { fingerprint } from '../domain/fingerprint.js';
import type { Transaction } from '../persistence/database.js';
import type { GenerationTaskEntity, StoreProductEntity } from '../persistence/entities/index.js';
import type { LinkRepository } from '../persistence/link.repository.js';
import type { TaskRepository } from '../persistence/task.repository.js';
import type { ResultRepository, TakenWriteBack } from '../persistence/result.repository.js';
import { contentFingerprint, ownPart } from '../planner/content-fingerprint.js';
import { orderOf, settledOrder, type TakenResult } from '../planner/result-order.js';
import { holdsContent } from '../planner/translations.js';
import { killPoint } from '../runtime/kill-point.js';
import type { Logger } from '../runtime/logger.js';
import type { Connections, Store } from '../connections/connections.js';
import { mayAnswer, type DeliverySubjects, type Subject } from './delivery-subject.js';
import type { ReceivedDelivery } from './received-delivery.js';
import { liveContent, resultContent, variantContent, type ResultContent } from './result-content.js';
import { recordUnasked, seenBefore, settleTask } from './task-ends.js';
import { usedSources } from './used-sources.js';
import { notConfigured, processed, type Verdict } from './verdict.js';

/** How many other results of one product may be taken between a look at the newest one and the insert. */
const MOST_OVERTAKEN = 20;

/** A result that may be written. */
interface Result {
  readonly delivery: ReceivedDelivery;
  readonly store: Store;
  readonly link: StoreProductEntity;
  readonly variant: string | null;
  readonly content: Pick<ResultContent, 'intended' | 'arrived'>;
  /** The fingerprint of what the catalog product holds now; null when it cannot be read. */
  readonly live: () => Promise<string | null>;
}

/** The place of a result among those of its product. */
interface Place {
  /** `own`: the delivery was interpreted before, and has its write-back. */
  readonly order: 'newer' | 'same' | 'older' | 'own';
  /** The newest result that was taken, or the delivery's own. */
  readonly newest: TakenWriteBack | null;
}

/** What comes of a result, decided on how its product stands. */
interface Decision {
  readonly place: Place;
  /** The task that the result ends. */
  readonly ended: GenerationTaskEntity | null;
  /** Hashes of the store's values that the result is based on. */
  readonly seen: Readonly<Record<string, string>>;
  /** What the catalog product holds; null when that is no news, or unknown. */
  readonly held: ResultContent['held'];
  /** It is what the newest result brought. */
  readonly isSame: boolean;
  /** The generation was not requested here, and is not recorded yet. */
  readonly isUnasked: boolean;
}

interface Outcome {
  readonly code: string;
  readonly note: string;
  readonly writeBackId?: string;
}

/** Turns generated content into intended write-backs: each result once, in one order (src/planner/result-order.ts). */
export class GeneratedResults {
  constructor(
    private readonly connections: Connections,
    private readonly links: LinkRepository,
    private readonly tasks: TaskRepository,
    private readonly results: ResultRepository,
    private readonly subjects: DeliverySubjects,
    private readonly log: Logger,
  ) {}

  async ofProduct(delivery: ReceivedDelivery, subject: Subject, link: StoreProductEntity): Promise<Verdict> {
    const store = this.connections.findStore(link.store);
    if (!store) return notConfigured('unknown_store', `store ${link.store}`);
    // Fetched before anything is settled, so that a fault leaves the delivery unchanged.
    const content = await resultContent(store, link, delivery, subject.task);
    for (const { locale, code } of content.missing)
      this.log.warn(
        { deliveryId: delivery.row.id, externalId: link.externalId, locale, code },
        'the catalog has no text in this language',
      );
    const { code, note, writeBackId } = await this.#take(
      {
        delivery,
        store,
        link,
        content,
        variant: null,
        live: async () =>
          content.isLive ? contentFingerprint(content.intended) : liveContent(store, link, delivery),
      },
      subject,
      content.held,
    );
    const notes = [note, ...content.missing.map(({ locale, reason }) => `${locale}: ${reason}`)];
    return processed(code, notes.join('; '), writeBackId);
  }

  /** A variant's result is never its product's: it is written to the variant's metafields, or it is recorded and shown. */
  async ofVariant(delivery: ReceivedDelivery, subject: Subject, link: StoreProductEntity): Promise<Verdict> {
    const action = delivery.body.action.slice(0, 100);
    const variant = subject.variant ?? '';
    const store = this.connections.findStore(link.store);
    if (action !== 'product_generated') return processed('variant_result', ofVariant(action, variant));
    if (!store) return notConfigured('unknown_store', `store ${link.store}`);
    const content = await variantContent(store, variant, delivery);
    const result: Result = {
      delivery,
      store,
      link,
      variant,
      content,
      live: () => Promise.resolve(null),
    };
    const { note, writeBackId } = await this.#take(result, subject, null);
    return processed('variant_result', `${ofVariant(action, variant)}; ${note}`, writeBackId);
  }

  /**
   * Settles the task that the result ends, adds its write-back, and records a generation that was not requested here: all of it in one
   * step, because a poll and a delivery may bring one result at the same time. Decides anew when the product stands otherwise by then.
   */
  async #take(result: Result, first: Subject, held: ResultContent['held']): Promise<Outcome> {
    const { delivery, link } = result;
    let subject = first;
    for (let turn = 0; turn < MOST_OVERTAKEN; turn += 1) {
      const decision = await this.#decide(result, subject, held);
      const outcome = await this.results.inOrder(link.externalId, subject.standing.version, (transaction) =>
        this.#record(result, decision, transaction),
      );
      killPoint('interpret.intended');
      if (outcome !== null) return outcome;
      subject = await this.subjects.again(delivery, link);
    }
    throw new CodedError('transient', 'other results of the product came in at the same time');
  }

  async #decide(result: Result, subject: Subject, held: ResultContent['held']): Promise<Decision> {
    const { task, candidate } = subject;
    if (task !== null && candidate !== null) {
      const repeated = await this.#decide(result, { ...subject, task: null }, held);
      if (repeated.isSame) return repeated;
    }
    const { delivery, link, variant } = result;
    const { catalogFields } = subject.standing;
    const place = await this.#place(result, task);
    const isSame = isWritten(result)
      ? place.order === 'same'
      : held !== null && catalogFields !== null && fingerprint(held) === fingerprint(catalogFields);
    const ended =
      task ?? (candidate !== null && (isSame || isAnswerTo(delivery, candidate)) ? candidate : null);
    const isKnown = isSame || (place.order === 'older' && (await this.#wasTaken(result)));
    const seenThen = async (): Promise<Record<string, string>> =>
      variant === null ? seenBefore(this.links, link, delivery.createdAt) : {};
    return {
      place,
      ended,
      isSame,
      seen: ended?.seen ?? (await seenThen()),
      held: place.order === 'older' || place.order === 'own' ? null : held,
      isUnasked: variant === null && ended === null && !isKnown,
    };
  }

  async #record(
    result: Result,
    { place, ended, seen, held, isUnasked }: Decision,
    transaction: Transaction,
  ): Promise<Outcome> {
    const { delivery, link } = result;
    const end = { state: 'succeeded', reason: null } as const;
    if (held !== null) await this.links.sawCatalogFields(link.externalId, held, transaction);
    if (ended !== null) await settleTask(this.tasks, delivery, ended, end, transaction);
    killPoint('interpret.task-ended');
    const outcome = await this.#write(result, ended, place, seen, transaction);
    if (isUnasked) await recordUnasked(this.tasks, delivery, link, { ...end, seen }, transaction);
    return outcome;
  }

  /** True when the content was taken before, under another task id. */
  async #wasTaken({ link, content }: Result): Promise<boolean> {
    return this.results.hasContent(link.externalId, ownPart(contentFingerprint(content.intended)));
  }

  /** Inserts the write-back of a newer result. */
  async #write(
    { delivery, store, link, variant, content }: Result,
    task: GenerationTaskEntity | null,
    { order, newest }: Place,
    seen: Readonly<Record<string, string>>,
    transaction: Transaction,
  ): Promise<Outcome> {
    const { mode } = store.settings.writeBack;
    if (mode === 'off')
      return { code: 'write_back_off', note: 'content generated but not written: writeBack.mode is off' };
    if (!holdsContent(content.intended))
      return { code: 'nothing_to_write', note: nothingToWrite(content.arrived) };
    if (order === 'older')
      return { code: 'older', note: 'generated, but a newer result was received before' };
    if (order !== 'newer') return { ...KNOWN, ...(newest === null ? {} : { writeBackId: newest.id }) };
    const { row, body } = delivery;
    const writeBackId = await this.results.intend(
      {
        store: store.key,
        workspace: row.workspace,
        externalId: link.externalId,
        deliveryId: row.id,
        variant,
        intended: [...content.intended],
        arrived: [...content.arrived],
        contentFingerprint: contentFingerprint(content.intended),
        receivedAt: row.receivedAt,
        askedAt: task?.requestedAt ?? null,
        datedAt: datedAt(delivery),
        state: mode === 'review' ? 'pending_review' : 'ready',
        seen,
        runId: task?.runId ?? null,
        sources: usedSources(body),
        creditsConsumed: body.credits?.consumed ?? null,
      },
      transaction,
    );
    return { ...INTENDED[mode], writeBackId };
  }

  async #place(result: Result, task: GenerationTaskEntity | null): Promise<Place> {
    const { delivery, link, variant, content } = result;
    const own = await this.results.ofDelivery(delivery.row.id);
    if (own !== null) return { order: 'own', newest: own };
    if (!isWritten(result)) return { order: 'newer', newest: null };
    const arrived: TakenResult = {
      contentFingerprint: contentFingerprint(content.intended),
      receivedAt: delivery.row.receivedAt,
      askedAt: task?.requestedAt ?? null,
      datedAt: datedAt(delivery),
    };
    const newest = await this.results.newest(link.externalId, variant);
    if (newest === null) return { order: 'newer', newest };
    const order = orderOf(arrived, newest);
    return {
      order: order === 'unsure' ? settledOrder(arrived, newest, await result.live()) : order,
      newest,
    };
  }
}

function isWritten({ store, content }: Result): boolean {
  return store.settings.writeBack.mode !== 'off' && holdsContent(content.intended);
}

/** By the service's clock: a poll names the time of our request. */
function datedAt({ row, createdAt }: ReceivedDelivery): Date | null {
  return row.via === 'webhook' ? createdAt : null;
}

/** A task that has brought content has had its answer. */
function isAnswerTo(delivery: ReceivedDelivery, candidate: GenerationTaskEntity): boolean {
  return candidate.state !== 'succeeded' && mayAnswer(delivery, candidate);
}

function nothingToWrite(arrived: ResultContent['arrived']): string {
  const unmapped = arrived.filter(({ fate }) => fate === 'not_mapped').map(({ from }) => from);
  if (unmapped.length === 0) return 'generated, but it holds nothing that may be written';
  const named = unmapped.slice(0, 5).join(', ');
  return `generated, but no setting maps what came: ${named}${unmapped.length > 5 ? ' …' : ''}`;
}

const KNOWN = { code: 'known', note: 'generated; the same result was received before' } as const;
const INTENDED = {
  auto: { code: 'intended', note: 'generated; to be written back' },
  review: { code: 'intended', note: 'generated; waits for review' },
} as const;

function ofVariant(action: string, variant: string): string {
  return `${action} for variant ${variant}: not written to its product`;
}
