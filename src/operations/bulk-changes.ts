import type { PageRequest } from '../persistence/keyset.js';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { LEFT_BECAUSE } from '../domain/approval.js';
import { CodedError } from '../domain/errors.js';
import { BULK_CHANGE_TRANSITIONS, type BulkChangeState } from '../domain/row-states.js';
import { BULK_ACTIONS, type BulkAction, type WriteBackFilter } from '../domain/write-back-filter.js';
import { BulkChangeRepository } from '../persistence/bulk-change.repository.js';
import type { BulkChangeEntity } from '../persistence/entities/index.js';
import {
  ListingRepository,
  type BulkSummaryRow,
  type ListFilter,
} from '../persistence/listing.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { Connections } from '../connections/connections.js';
import { found } from './found.js';
import { pageOf, pageSchema, type Page } from './paging.js';
import { shown } from './shown.js';
import { ProductNames } from './product-names.js';
import { RowWorkPort } from './row-work.js';
import { writeBackFilterSchema } from './write-back-filter.js';
import { permissionsSchema } from './write-backs.js';

export const BULK_STATES = Object.keys(BULK_CHANGE_TRANSITIONS) as [BulkChangeState, ...BulkChangeState[]];

export const bulkRequestSchema = z.strictObject({
  action: z.enum(BULK_ACTIONS),
  filter: writeBackFilterSchema,
  dryRun: z
    .boolean()
    .default(false)
    .describe('only of a revert: reports what would be restored, and writes nothing'),
  ...permissionsSchema.shape,
  until: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .optional()
    .describe('leaves out rows to which something happened later; default: now'),
});
export type BulkRequest = z.output<typeof bulkRequestSchema>;

export const bulkChangeSchema = z.object({
  id: z.string(),
  action: z.enum(BULK_ACTIONS),
  dryRun: z.boolean(),
  filter: z.record(z.string(), z.unknown()),
  actor: z.string(),
  state: z.enum(BULK_STATES),
  matching: z.int().describe('write-backs that the filter selected'),
  done: z.int().describe('changed; of a dry run: would be changed'),
  refused: z.int().describe('left, in whole or in part'),
  overwriteEdits: z.boolean(),
  passGates: z.boolean(),
  leftEdited: z.int().describe('of an approval: left, in whole or in part, because the merchant edited them'),
  leftInPart: z.int().describe('how many of these were approved without the edited fields'),
  leftGated: z.int().describe('of an approval: left because a gate holds them back'),
  reason: z.string().nullable(),
  /** The first rows of the report. */
  items: z.array(
    z.object({
      id: z.string(),
      externalId: z.string(),
      label: z.string().describe('title of the product, or its external_id'),
      ok: z.boolean(),
      detail: z.string(),
      left: z.enum(LEFT_BECAUSE).optional(),
      fields: z.array(z.object({ target: z.string(), outcome: z.string(), reason: z.string() })),
    }),
  ),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});
export type PresentedBulkChange = z.output<typeof bulkChangeSchema>;
/** A bulk change without its report. */
const summarySchema = bulkChangeSchema.omit({ items: true });
export type BulkChangeSummary = z.output<typeof summarySchema>;
export const bulkChangePageSchema = pageSchema(bulkChangeSchema);

/** Changes of all write-backs that a filter selects. A worker does them row by row. */
@Injectable()
export class BulkOperations {
  constructor(
    private readonly connections: Connections,
    private readonly runs: RunRepository,
    private readonly changes: BulkChangeRepository,
    private readonly listing: ListingRepository,
    private readonly names: ProductNames,
    private readonly work: RowWorkPort,
  ) {}

  /** The number of write-backs that an action would change, and the time of the count. Throws `not_found` for an unknown store or run. */
  async count(
    action: BulkAction,
    filter: WriteBackFilter,
  ): Promise<{ readonly count: number; readonly until: Date }> {
    await this.#mustBeKnown(filter);
    return this.changes.matching(action, filter, null);
  }

  async #mustBeKnown({ store, run }: WriteBackFilter): Promise<void> {
    if (store !== undefined) this.connections.namedStore(store);
    if (run !== undefined) found(await this.runs.get(run), 'run', run);
  }

  /**
   * Stores the change and wakes a worker. Throws `invalid` for a filter that selects everything, and for a dry run of anything but a
   * revert.
   */
  async request(
    { action, filter, dryRun, until, overwriteEdits, passGates }: BulkRequest,
    actor: string,
  ): Promise<PresentedBulkChange> {
    if (Object.values(filter).every((value) => value === undefined))
      throw new CodedError('invalid', 'a bulk change needs a filter, such as store or run');
    if (dryRun && action !== 'revert')
      throw new CodedError('invalid', `only a revert has a dry run, and this is ${action}`);
    if ((overwriteEdits || passGates) && action !== 'approve')
      throw new CodedError(
        'invalid',
        `overwriteEdits and passGates belong to an approval, and this is ${action}`,
      );
    await this.#mustBeKnown(filter);
    const counted = await this.changes.matching(action, filter, until ?? null);
    const id = await this.changes.add({
      action,
      dryRun,
      filter,
      actor,
      until: counted.until,
      matching: counted.count,
      permissions: { overwriteEdits, passGates },
    });
    await this.work.bulkChange(id);
    return this.show(id);
  }

  /** Requests the change that a dry run showed, for the rows that it counted. Throws `conflict` unless it is a dry run that is done. */
  async afterDryRun(id: string, actor: string): Promise<PresentedBulkChange> {
    const { action, filter, until, dryRun, state } = found(await this.changes.get(id), 'bulk change', id);
    if (!dryRun || state !== 'done')
      throw new CodedError('conflict', `bulk change ${id} is no dry run that is done`);
    const permissions = { overwriteEdits: false, passGates: false };
    return this.request({ action, filter, until, dryRun: false, ...permissions }, actor);
  }

  async list(page: PageRequest): Promise<Page<PresentedBulkChange>> {
    const { rows, ...listed } = await this.listing.wholeBulkChanges(page);
    return pageOf({ ...listed, rows: await this.#presented(rows) }, page, (change) => change);
  }

  async summaries(page: PageRequest, filter: ListFilter): Promise<Page<BulkChangeSummary>> {
    return pageOf(await this.listing.bulkChanges(page, filter), page, summaryOf);
  }

  /** Bulk changes of each state that match the rest of the filter. */
  async counts(filter: ListFilter): Promise<Record<string, number>> {
    return this.listing.counts('bulkChanges', filter);
  }

  /** Throws `not_found` for an unknown id. So does each method that takes one. */
  async show(id: string): Promise<PresentedBulkChange> {
    const change = await this.changes.get(id);
    const [shown] = await this.#presented(change === null ? [] : [change]);
    return found(shown, 'bulk change', id);
  }

  /** Stops a change; what it did so far stays. Throws `conflict` when it has ended. */
  async cancel(id: string, actor: string): Promise<PresentedBulkChange> {
    const change = await this.show(id);
    if (!(await this.changes.cancel(id, `cancelled by ${actor}`)))
      throw new CodedError('conflict', `bulk change ${id} is already ${change.state}`);
    return this.show(id);
  }

  /** Adds the present titles of the products to the reports. */
  async #presented(changes: readonly BulkChangeEntity[]): Promise<PresentedBulkChange[]> {
    const ids = changes.flatMap(({ items }) => items.map(({ externalId }) => externalId));
    const labels = await this.names.of(ids);
    return changes.map((change) => ({
      ...summaryOf(change),
      items: change.items.map((item) => ({
        ...item,
        label: labels.get(item.externalId) ?? item.externalId,
        fields: [...item.fields],
      })),
    }));
  }
}

function summaryOf(change: BulkSummaryRow): BulkChangeSummary {
  return shown(summarySchema, change, { filter: { ...change.filter } });
}
