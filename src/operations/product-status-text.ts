import { withoutTrailing } from '../domain/text.js';
import type { GenerationTaskEntity, StoreProductEntity } from '../persistence/entities/index.js';
import type { WriteBackRow } from '../persistence/listing.repository.js';
import type { PastAction } from '../persistence/history.repository.js';

/** The columns of a link that a product's standing depends on. */
export type StandingLink = Pick<
  StoreProductEntity,
  'state' | 'withheld' | 'catalogId' | 'orphanedAt' | 'creationStartedAt' | 'generationDue'
>;

/** A product's rows, each list oldest first. */
export interface ProductFacts {
  readonly link: StandingLink | null;
  readonly actions: readonly PastAction[];
  readonly tasks: readonly GenerationTaskEntity[];
  readonly writeBacks: readonly WriteBackRow[];
}

export const PRODUCT_STATES = [
  ...(['gone', 'creating', 'not_sent', 'shared', 'generating', 'review', 'writing', 'live'] as const),
  ...(['failed', 'no_sources', 'left', 'waiting', 'no_content'] as const),
] as const;
/** Where a product is on its way, for programs and for a word on a page. */
export type ProductState = (typeof PRODUCT_STATES)[number];

/** Pure. What is in the way of a product comes first. */
export function stateOfProduct({ link, actions, tasks, writeBacks }: ProductFacts): ProductState {
  const [task, writeBack] = [tasks.at(-1), writeBacks.at(-1)];
  if (link === null || actions.at(-1)?.state === 'failed') return 'not_sent';
  if (link.state === 'orphaned') return 'gone';
  if (link.state === 'pending') return 'creating';
  if (task?.state === 'requested') return 'generating';
  if (writeBack !== undefined && (task === undefined || writeBack.createdAt >= task.requestedAt))
    return WRITTEN[writeBack.state];
  if (link.withheld.length > 0) return 'shared';
  if (link.generationDue || task === undefined) return link.generationDue ? 'waiting' : 'no_content';
  return UNWRITTEN[task.state];
}

const WRITTEN: Readonly<Record<WriteBackRow['state'], ProductState>> = {
  pending_review: 'review',
  ready: 'writing',
  applied: 'live',
  failed: 'failed',
  skipped: 'left',
  conflicted: 'left',
  rejected: 'left',
  reverted: 'left',
};
const UNWRITTEN: Readonly<Record<GenerationTaskEntity['state'], ProductState>> = {
  requested: 'generating',
  succeeded: 'left',
  failed: 'failed',
  abandoned: 'failed',
  no_urls: 'no_sources',
};

/** The reason for a product's present state, in one line for people; pure. Obstacles come first. */
export function whereItStands(facts: ProductFacts): string {
  const withheld = (facts.link?.withheld ?? []).map(({ reason }) => reason);
  const state = notLinked(facts) ?? failedAction(facts) ?? contentState(facts);
  if (withheld.length === 0) return state;
  return `${withoutTrailing(state, '.')}; withheld from the catalog: ${withheld.join('; ')}`;
}

function notLinked({ link, actions }: ProductFacts): string | null {
  const newest = actions.at(-1);
  if (link === null) {
    switch (newest?.state) {
      case undefined:
        return 'not linked: no run has planned it, only a delivery names it';
      case 'planned':
        return `not linked yet: ${newest.kind} is planned, its run has not carried it out`;
      case 'failed':
        return `not in the catalog: ${errorOf(newest)}`;
      default:
        return `not linked: its last action is ${newest?.state ?? 'unknown'}`;
    }
  }
  if (link.state === 'orphaned')
    return `gone from the store since ${at(link.orphanedAt)}; ${link.catalogId === null ? 'it has no catalog product any more' : 'its catalog product is kept'}`;
  if (link.state === 'pending')
    return `the catalog is creating it in the background since ${at(link.creationStartedAt)}`;
  return null;
}

function failedAction({ actions }: ProductFacts): string | null {
  const newest = actions.at(-1);
  if (newest?.state === 'planned') return `its ${newest.kind} is planned and not carried out yet`;
  return newest?.state === 'failed' ? `its last change did not reach the catalog: ${errorOf(newest)}` : null;
}

function contentState({ link, tasks, writeBacks }: ProductFacts): string {
  const task = tasks.at(-1);
  const writeBack = writeBacks.at(-1);
  if (task?.state === 'requested') {
    const heard = task.answeredAt === null ? ', and the call was not answered' : '';
    return `waiting for content that was asked for at ${at(task.requestedAt)}${heard}${task.reason === null ? '' : ` (${task.reason})`}`;
  }
  if (writeBack !== undefined && (task === undefined || writeBack.createdAt >= task.requestedAt))
    return writeBackState(writeBack);
  if (link?.generationDue === true)
    return 'in the catalog; content is due and will be asked for by the next run';
  return task === undefined ? 'in the catalog; content was never asked for' : taskState(task);
}

/** The settings that help where the service finds no source for a product (docs/configuration.md#a-store). */
const SOURCE_REMEDY = 'tell the catalog where to read about it: mapping.sourceUrl or mapping.referenceString';
/** What the service says without a reason of its own. */
const NO_REASON = /^content generation failed\.?$/i;

/** Why a generation failed, for people. */
export function failureReason(given: string | null): string {
  const text = given?.trim() ?? '';
  return text === '' || NO_REASON.test(text) ? 'the catalog gave no reason; generate again' : text;
}

function taskState(task: GenerationTaskEntity): string {
  const reason = failureReason(task.reason);
  switch (task.state) {
    case 'succeeded':
      return 'content was generated; nothing of it is to be written to the store';
    case 'failed':
      return `in the catalog; the generation failed: ${reason}`;
    case 'no_urls':
      return `in the catalog; nothing could be generated: ${withoutTrailing(reason, '.')}; ${SOURCE_REMEDY}`;
    case 'abandoned':
      return `in the catalog; its generation was given up: ${reason}`;
    case 'requested':
      return `waiting for content that was asked for at ${at(task.requestedAt)}`;
  }
}

function writeBackState({ state, reason, settledAt, revertedAt }: WriteBackRow): string {
  const why = reason ?? 'no reason given';
  switch (state) {
    case 'pending_review':
      return 'its content waits for review';
    case 'ready':
      return `its content is about to be written${reason === null ? '' : ` (${reason})`}`;
    case 'applied':
      return `content was written to the store at ${at(settledAt)} (${why})`;
    case 'skipped':
      return `nothing was written to the store: ${why}`;
    case 'conflicted':
      return `left to the merchant: ${why}`;
    case 'failed':
      return `its content could not be written: ${why}`;
    case 'rejected':
      return `its content was rejected at ${at(settledAt)}`;
    case 'reverted':
      return `its last write-back was reverted at ${at(revertedAt)}: ${why}`;
  }
}

export function errorOf({ error }: Pick<PastAction, 'error'>): string {
  if (error === null) return 'no reason recorded';
  const fields = Object.entries(error.fields ?? {}).map(
    ([field, messages]) => `${field}: ${messages.join(' ')}`,
  );
  return [error.message, ...fields].join('; ');
}

function at(date: Date | null): string {
  return date?.toISOString() ?? 'an unknown time';
}
