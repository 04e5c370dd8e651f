import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ACTION_KINDS } from '../persistence/entities/sync-action.entity.js';
import type { SyncActionEntity } from '../persistence/entities/index.js';
import type { StoreConfig } from '../config/index.js';
import type { WriteBackSettings } from '../domain/store-settings.js';
import { ListingRepository, type ListFilter } from '../persistence/listing.repository.js';
import {
  keptPlan,
  PlanRepository,
  type KeptPlan,
  type PlanEntryFilter,
} from '../persistence/plan.repository.js';
import { lostMedia, mediaInWords } from '../planner/kept-media.js';
import { Shutdown } from '../runtime/shutdown.js';
import { found } from './found.js';
import { listQuerySchema, pageOf, pageQuerySchema, pageSchema, type Page } from './paging.js';
import { shown } from './shown.js';
import { RowWorkPort } from './row-work.js';
import { SavedPlans } from '../sync/saved-plans.js';
import { Connections } from '../connections/connections.js';
import { SyncCosts, type SyncCost } from './sync-cost.js';
import { presentWithheld, withheldSchema } from './withheld.js';

export { ACTION_KINDS, type PlanEntryFilter };
export const PLAN_STATES = ['planning', 'saved', 'applied', 'failed'] as const;

export const planQuerySchema = listQuerySchema(PLAN_STATES);
export const planEntriesQuerySchema = pageQuerySchema.omit({ order: true }).extend({
  kind: z.enum(ACTION_KINDS).optional(),
  search: z.string().min(1).max(200).optional().describe('part of a title, an external_id or a reason'),
});
export const planBodySchema = z.strictObject({ full: z.boolean().default(false) });

/** One product of a plan, as commands and the API show it. */
export const planEntrySchema = z.object({
  kind: z.enum(ACTION_KINDS),
  externalId: z.string(),
  label: z.string(),
  reason: z.string(),
  fields: z.array(z.string()),
  withheld: z.array(withheldSchema),
  generation: z.boolean(),
  /** The merchant's media that a generated description would remove, such as `2 images and 1 table`. Absent for none. */
  mediaLost: z.string().optional(),
});
export type PlanEntry = z.output<typeof planEntrySchema>;

export const planSchema = z.object({
  id: z.string(),
  store: z.string(),
  kind: z.enum(['full', 'incremental']),
  state: z.enum(PLAN_STATES),
  counts: z.record(z.string(), z.number()),
  entries: z.int(),
  incomplete: z.string().nullable(),
  error: z.string().nullable(),
  runId: z.string().nullable(),
  createdAt: z.iso.datetime(),
  appliedAt: z.iso.datetime().nullable(),
});
export type PresentedPlan = z.output<typeof planSchema>;
export const planPageSchema = pageSchema(planSchema);
export const planEntryPageSchema = pageSchema(planEntrySchema);
export const appliedPlanSchema = z.object({
  /** The id of the run that applies it. */
  id: z.string(),
  entries: z.int(),
  refused: z.int(),
});

/** Saved plans for the API. Commands create and apply them with the same `SavedPlans`. */
@Injectable()
export class PlanOperations {
  constructor(
    private readonly plans: PlanRepository,
    private readonly listing: ListingRepository,
    private readonly planning: SavedPlans,
    private readonly work: RowWorkPort,
    private readonly shutdown: Shutdown,
    private readonly connections: Connections,
    private readonly costs: SyncCosts,
  ) {}

  async list(query: z.output<typeof planQuerySchema> & ListFilter): Promise<Page<PresentedPlan>> {
    return pageOf(await this.listing.plans(query, query), query, (run) => presentPlan(keptPlan(run)));
  }

  /** Plans of each state that match the rest of the filter. */
  async counts(filter: ListFilter): Promise<Record<string, number>> {
    return this.listing.counts('plans', filter);
  }

  /** Throws `not_found` for an unknown id. So does each method that takes one. */
  async show(id: string): Promise<PresentedPlan> {
    return presentPlan(await this.#plan(id));
  }

  async entries(
    id: string,
    query: z.output<typeof planEntriesQuerySchema> & PlanEntryFilter,
  ): Promise<Page<PlanEntry>> {
    const plan = await this.#plan(id);
    const { limit, offset, cursor, ...filter } = query;
    const listed = await this.plans.entries(plan.id, { limit, offset, cursor }, filter);
    const settings = this.connections.findStore(plan.store)?.settings;
    return pageOf(listed, { limit, offset, order: 'asc' }, (row) => presentEntry(row, settings));
  }

  /** Entries of each kind that match the rest of the filter. */
  async entryKinds(id: string, filter: PlanEntryFilter): Promise<Record<string, number>> {
    return this.plans.entryKinds(id, filter);
  }

  /** The cost of its application; null for a store that is not configured any more. */
  async cost(id: string): Promise<SyncCost | null> {
    const plan = await this.#plan(id);
    const store = this.connections.findStore(plan.store);
    return store === undefined ? null : this.costs.estimate(store, await this.plans.wanted(plan.id));
  }

  /**
   * Starts planning and returns the draft's id. `done` resolves with the end of the planning. The draft records a
   * failure. Throws `not_found` for an unknown store.
   */
  async start(store: string, full: boolean): Promise<{ id: string; done: Promise<unknown> }> {
    this.connections.namedStore(store);
    const id = await this.planning.draft(store);
    const { signal } = this.shutdown;
    const done = this.planning
      .fill(id, store, {
        full,
        signal,
        onProgress: () => {
          signal.throwIfAborted();
        },
        onActions: () => undefined,
      })
      // The draft itself records the failure, so this rejection is ignored.
      .catch((error: unknown) => error);
    return { id, done };
  }

  async apply(id: string, actor: string): Promise<z.output<typeof appliedPlanSchema>> {
    const by = { trigger: 'api', requestedBy: actor } as const;
    const { runId, entries, refused } = await this.planning.apply(id, by, this.shutdown.signal);
    await this.work.run(runId);
    return { id: runId, entries, refused };
  }

  async #plan(id: string): Promise<KeptPlan> {
    return found(await this.plans.get(id), 'plan', id);
  }
}

export function presentPlan(plan: KeptPlan): PresentedPlan {
  return shown(planSchema, plan, { counts: { ...plan.counts } });
}

type PlannedRow = Pick<
  SyncActionEntity,
  'kind' | 'externalId' | 'label' | 'reason' | 'fields' | 'withheld' | 'wantsGeneration' | 'body'
>;

/** The settings of a store that an entry depends on. */
interface ShownSettings extends Pick<StoreConfig, 'deleted'> {
  readonly writeBack: WriteBackSettings;
}

/** `settings`: the present ones of the store; undefined for a store that is not configured any more. */
export function presentEntry(entry: PlannedRow, settings: ShownSettings | undefined): PlanEntry {
  const { kind, externalId, label, fields, wantsGeneration } = entry;
  const fate = kind === 'orphan' && settings !== undefined ? FATES[settings.deleted] : '';
  const reason = `${entry.reason}${fate}`;
  const withheld = entry.withheld.map(presentWithheld);
  const mediaLost = mediaLostBy(entry, settings?.writeBack);
  return {
    kind,
    externalId,
    label,
    reason,
    fields: [...fields],
    withheld,
    generation: wantsGeneration,
    ...(mediaLost === null ? {} : { mediaLost }),
  };
}

/** What becomes of the catalog product whose source is gone, where the store's settings change it. */
const FATES: Readonly<Record<StoreConfig['deleted'], string>> = {
  keep: '',
  report: '; the catalog keeps it',
  delete: '; it is deleted in the catalog',
};

/** A description that is generated replaces the merchant's, except the elements of `writeBack.keep`. */
function mediaLostBy(
  { body, wantsGeneration }: PlannedRow,
  writeBack: WriteBackSettings | undefined,
): string | null {
  if (!wantsGeneration || writeBack === undefined || writeBack.mode === 'off') return null;
  if (!Object.values(writeBack.fields).includes('descriptionHtml')) return null;
  return mediaInWords(lostMedia('', body?.html_description ?? null, writeBack.keep));
}
