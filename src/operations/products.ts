import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { IDENTIFIER_NAMES } from '../domain/catalog-product.js';
import { parseExternalId, productExternalId } from '../domain/external-id.js';
import type { GenerationTaskEntity, StoreProductEntity } from '../persistence/entities/index.js';
import { HistoryRepository, type PastAction } from '../persistence/history.repository.js';
import { LinkRepository } from '../persistence/link.repository.js';
import {
  CONTENT_FILTERS,
  ListingRepository,
  PRODUCT_ORDERS,
  type ListFilter,
  type DeliveryRow,
  type ProductRow,
  type WriteBackRow,
} from '../persistence/listing.repository.js';
import { found } from './found.js';
import { listQuerySchema, moment, pageOf, pageSchema, type Page } from './paging.js';
import { shown } from './shown.js';
import {
  errorOf,
  PRODUCT_STATES,
  stateOfProduct,
  whereItStands,
  type ProductFacts,
} from './product-status-text.js';
import { presentWithheld, withheldSchema } from './withheld.js';
import { presentWriteBack, writeBackFieldSchema } from './present-write-back.js';

export { CONTENT_FILTERS, PRODUCT_ORDERS };
export const LINK_STATES = ['linked', 'pending', 'conflicted', 'orphaned'] as const;

export const productQuerySchema = listQuerySchema(LINK_STATES).extend({
  content: z
    .enum(CONTENT_FILTERS)
    .optional()
    .describe('by generated content; live: the shop has it; owed: the next run reads the product'),
  sort: z.enum(PRODUCT_ORDERS).optional().describe('by title, or by the time it was seen last'),
  search: z
    .string()
    .max(200)
    .optional()
    .describe('part of a title, handle or external_id, or a whole SKU or barcode'),
});
export type ProductQuery = z.output<typeof productQuerySchema>;

export const timelineEntrySchema = z.object({
  at: z.iso.datetime(),
  kind: z.enum(['source', 'link', 'identity', 'run', 'task', 'delivery', 'write-back']),
  what: z.string(),
  reason: z.string().nullable(),
  /** Id of the entry's row. */
  id: z.string().nullable(),
  /** The fields of a write-back. */
  fields: z.array(writeBackFieldSchema).optional(),
});
export type TimelineEntry = z.output<typeof timelineEntrySchema>;

/** The link of a product, as far as pages need it. */
export type LinkedProduct = Pick<
  StoreProductEntity,
  'externalId' | 'store' | 'storeId' | 'label' | 'catalogId'
>;

export const productSummarySchema = z.object({
  externalId: z.string(),
  store: z.string(),
  workspace: z.string(),
  label: z.string(),
  handle: z.string().nullable(),
  state: z.enum(LINK_STATES),
  catalogId: z.string().nullable(),
  withheld: z.array(withheldSchema),
  generationDue: z.boolean(),
  firstSeenAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
});
export type ProductSummary = z.output<typeof productSummarySchema>;
/** A product in a list, with the reason for its present state. */
export const listedProductSchema = productSummarySchema.extend({
  standing: z.string(),
  stands: z.enum(PRODUCT_STATES).describe('where it is on its way'),
  review: z.string().nullable().describe('id of the write-back that waits for review'),
});
export type ListedProduct = z.output<typeof listedProductSchema>;
export const productPageSchema = pageSchema(listedProductSchema);

export const productTimelineSchema = z.object({
  externalId: z.string(),
  label: z.string().nullable(),
  store: z.string().nullable(),
  /** Null for a product that was never in the catalog. */
  link: productSummarySchema.nullable(),
  /** Oldest first. */
  timeline: z.array(timelineEntrySchema),
  /** The reason for its present state. */
  ...listedProductSchema.pick({ standing: true, stands: true, review: true }).shape,
});
export type ProductTimeline = z.output<typeof productTimelineSchema>;

/** The history of one product from its rows, from source to store. */
@Injectable()
export class ProductOperations {
  constructor(
    private readonly history: HistoryRepository,
    private readonly links: LinkRepository,
    private readonly listing: ListingRepository,
  ) {}

  async list(query: ProductQuery): Promise<Page<ListedProduct>> {
    const listed = await this.listing.products(query, query);
    const newest = await this.history.newest(listed.rows.map(({ externalId }) => externalId));
    const ofProduct = <Row extends { externalId: string }>(rows: readonly Row[], id: string): Row[] =>
      rows.filter(({ externalId }) => externalId === id);
    return pageOf(listed, query, (link) => ({
      ...summarised(link),
      ...standingOf({
        link,
        actions: ofProduct(newest.actions, link.externalId),
        tasks: ofProduct(newest.tasks, link.externalId),
        writeBacks: ofProduct(newest.writeBacks, link.externalId),
      }),
    }));
  }

  /** Products of each state that match the rest of the filter. */
  async counts(filter: ListFilter): Promise<Record<string, number>> {
    return this.listing.counts('products', filter);
  }

  /** The external_ids of the products that a name matches: external_id (of a variant, too), SKU, barcode or handle. */
  async find(name: string): Promise<string[]> {
    const ref = parseExternalId(name);
    const externalId = ref === null ? name : productExternalId(ref.store, ref.productId);
    if (await this.history.knows(externalId)) return [externalId];
    const matches = await this.history.productsNamed(name);
    return matches.length > 0 ? matches : this.history.plannedByHandle(name);
  }

  /** Null for a product without a link. */
  async link(externalId: string): Promise<LinkedProduct | null> {
    return this.links.get(externalId);
  }

  /** The whole timeline of a product, in order. Throws `not_found` when no row names it. */
  async timeline(externalId: string): Promise<ProductTimeline> {
    const isKnown = await this.history.knows(externalId);
    found(isKnown ? externalId : null, 'product', externalId);
    const [link, actions, tasks, deliveries, writeBacks] = await Promise.all([
      this.links.get(externalId),
      this.history.actions(externalId),
      this.history.tasks(externalId),
      this.history.deliveries(externalId),
      this.history.writeBacks(externalId),
    ]);
    const entries = [
      ...(link === null ? [] : linkEntries(link)),
      ...actions.flatMap(actionEntries),
      ...tasks.flatMap(taskEntries),
      ...deliveries.flatMap(deliveryEntries),
      ...writeBacks.flatMap(writeBackEntries),
    ];
    const newest = actions.at(-1);
    return {
      externalId,
      label: link?.label ?? newest?.label ?? null,
      store: link?.store ?? newest?.store ?? null,
      link: link === null ? null : summarised(link),
      // Stable, so that events at the same time keep the order of the flow.
      timeline: entries.sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at))),
      ...standingOf({ link, actions, tasks, writeBacks }),
    };
  }
}

function standingOf(facts: ProductFacts): Pick<ListedProduct, 'standing' | 'stands' | 'review'> {
  const newest = facts.writeBacks.at(-1);
  const review = newest?.state === 'pending_review' ? newest.id : null;
  return { standing: whereItStands(facts), stands: stateOfProduct(facts), review };
}

export function summarised(link: ProductRow): ProductSummary {
  return shown(productSummarySchema, link, { withheld: link.withheld.map(presentWithheld) });
}

function entry(
  at: Date | null,
  kind: TimelineEntry['kind'],
  what: string,
  rest: Partial<Pick<TimelineEntry, 'reason' | 'id' | 'fields'>> = {},
): TimelineEntry[] {
  const time = moment(at);
  return time === null ? [] : [{ at: time, kind, what, reason: null, id: null, ...rest }];
}

function linkEntries(link: StoreProductEntity): TimelineEntry[] {
  const handle = link.handle === null ? '' : ` (${link.handle})`;
  const creating = link.creationTaskId === null ? {} : { id: link.creationTaskId };
  return [
    ...entry(link.firstSeenAt, 'link', `in the catalog: “${link.label}”${handle}`, {
      reason: link.catalogId === null ? 'without a catalog product yet' : `catalog product ${link.catalogId}`,
    }),
    ...entry(link.creationStartedAt, 'link', 'the catalog creates it in the background', creating),
    ...entry(link.orphanedAt, 'source', 'its source is gone from the store', {
      reason: 'a complete read did not meet it',
    }),
  ];
}

function actionEntries(action: PastAction): TimelineEntry[] {
  const fields =
    action.fields.length === 0
      ? ''
      : `: ${action.fields.map((field) => field.replaceAll('_', ' ')).join(', ')}`;
  const about = { id: action.runId };
  const settled =
    action.state === 'planned'
      ? []
      : entry(action.settledAt, 'run', settledWords(action), {
          ...about,
          reason: action.state === 'failed' ? errorOf(action) : outcomeOf(action),
        });
  return [
    ...entry(action.createdAt, 'source', `read in the store: “${action.label}”`, {
      ...about,
      reason: action.reason,
    }),
    ...identityEntries(action),
    ...entry(action.createdAt, 'run', `${ACTION_WORDS[action.kind].planned}${fields}`, {
      ...about,
      reason: action.reason,
    }),
    ...settled,
  ];
}

const ACTION_WORDS = {
  create: { planned: 'to be created', applied: 'created in the catalog' },
  adopt: { planned: 'to be taken over', applied: 'taken over in the catalog' },
  update: { planned: 'to be updated', applied: 'updated in the catalog' },
  orphan: { planned: 'to be marked as gone', applied: 'marked as gone from the store' },
} as const;

function settledWords({ kind, state }: PastAction): string {
  if (state === 'applied') return ACTION_WORDS[kind].applied;
  return state === 'failed' ? 'refused by the catalog' : 'left to a later run';
}

function outcomeOf(action: PastAction): string | null {
  if (action.state === 'superseded') return 'a later run planned the product again';
  return action.catalogId === null ? null : `catalog product ${action.catalogId}`;
}

function identityEntries(action: PastAction): TimelineEntry[] {
  if (action.kind === 'orphan') return [];
  const decided =
    action.kind === 'adopt'
      ? entry(
          action.createdAt,
          'identity',
          `takes over catalog product ${action.catalogId ?? ''}`.trimEnd(),
          {
            reason: action.reason,
            id: action.runId,
          },
        )
      : [];
  const withheld = action.withheld.flatMap(({ kind, value, owner, reason }) => {
    const of = owner === action.externalId ? '' : ` of variant ${owner}`;
    return entry(action.createdAt, 'identity', `${IDENTIFIER_NAMES[kind]} ${value}${of} withheld`, {
      reason,
      id: action.runId,
    });
  });
  return [...decided, ...withheld];
}

const TASK_WORDS: Readonly<Record<GenerationTaskEntity['state'], string>> = {
  requested: 'content requested',
  succeeded: 'content generated',
  failed: 'generation failed',
  no_urls: 'nothing to read was found',
  abandoned: 'generation given up',
};

function taskEntries(task: GenerationTaskEntity): TimelineEntry[] {
  const asked = task.answeredAt === null && task.state === 'requested' ? ' (not answered yet)' : '';
  const id = task.taskId ?? task.id;
  return [
    ...entry(task.requestedAt, 'task', `content requested${asked}`, {
      id,
      reason: task.runId === null ? 'by hand, or not by us' : 'by a run',
    }),
    ...entry(
      task.settledAt,
      'task',
      `${TASK_WORDS[task.state]}${task.settledBy === 'poll' ? ', by polling' : ''}`,
      {
        id,
        reason: task.reason,
      },
    ),
  ];
}

const RESULT_WORDS: Readonly<Record<string, string>> = {
  product_generated: 'content arrived',
  product_generation_failed: 'the catalog reports a failure',
  product_generation_no_urls: 'the catalog found nothing to read',
};

function deliveryEntries(delivery: DeliveryRow): TimelineEntry[] {
  const { action, via, state } = delivery;
  const what =
    (RESULT_WORDS[action ?? ''] ?? action ?? 'unreadable') + (via === 'poll' ? ', by polling' : '');
  return entry(delivery.receivedAt, 'delivery', state === 'processed' ? what : `${what}: ${state}`, {
    id: delivery.id,
    reason: delivery.note,
  });
}

function writeBackEntries(row: WriteBackRow): TimelineEntry[] {
  const { id, state, reason } = row;
  const { fields } = presentWriteBack(row);
  const targets = fields.filter((field) => field.intended !== null).map((field) => field.target);
  const isReverted = state === 'reverted';
  const wasWritten = isReverted || state === 'applied';
  return [
    ...entry(
      row.createdAt,
      'write-back',
      `generated text arrived${state === 'pending_review' ? ', waits for review' : ''}`,
      { id, reason: targets.join(', ') || null },
    ),
    ...entry(row.settledAt, 'write-back', wasWritten ? 'text written to the shop' : `text ${state}`, {
      id,
      reason: isReverted ? null : reason,
      // The journal keeps one outcome of each field: that of the revert, below.
      fields: isReverted ? [] : fields,
    }),
    ...entry(row.revertedAt, 'write-back', 'text reverted', { id, reason, fields }),
  ];
}
