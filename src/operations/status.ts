import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import { WRITE_CAPS, type WriteCap } from '../domain/write-cap.js';
import { OWED_CODES, OWED_REASONS } from '../domain/owed.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { NOTHING_OWED, OwedRepository, type OwedSummary } from '../persistence/owed.repository.js';
import { StatusRepository, type HeldWriteBacks } from '../persistence/status.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { Clock } from '../runtime/clock.js';
import { Connections, type Store, type Workspace } from '../connections/connections.js';
import { goneFrom, goneSchema } from './deleted-products.js';
import { healthSchema, presentHealth } from './store-health.js';
import { presentRun, runSchema } from './present-run.js';

const byState = z.record(z.string(), z.int());
const openWork = z.object({ deliveries: z.int(), writeBacks: z.int(), tasks: z.int() });

const storeStatusSchema = z.object({
  store: z.string(),
  shop: z.string(),
  health: healthSchema,
  watermark: z.iso.datetime().nullable(),
  servedApiVersion: z
    .string()
    .nullable()
    .describe(
      'the API version that the store serves in place of the configured one; null while it serves that',
    ),
  lastRuns: z.array(runSchema),
  products: byState,
  tasks: byState,
  writeBacks: byState,
  /** Products that runs put off, by reason. The next run reads them. */
  owed: z.object({
    count: z.int(),
    since: z.iso.datetime().nullable().describe('since when the oldest is owed'),
    reasons: z.array(z.object({ code: z.enum(OWED_CODES), count: z.int(), reason: z.string() })),
  }),
  /** Write-backs that wait although the store works, by the limit or the gate that holds them. */
  held: z.object({ limits: z.record(z.enum(WRITE_CAPS), z.int()), gates: byState }),
  /** Fields and attributes that results of the last thirty days brought, and that no setting maps. */
  unmappedParts: z.int(),
  /** Products whose newest generation returned nothing, with the service's reason. */
  unsuccessful: z.array(
    z.object({ externalId: z.string(), state: z.string(), reason: z.string().nullable() }),
  ),
  /** With `deleted: report`: the first catalog products whose source is gone, or all on request; otherwise null. */
  gone: goneSchema.nullable(),
});
export type StoreStatus = z.output<typeof storeStatusSchema>;

const workspaceStatusSchema = z.object({
  workspace: z.string(),
  creditsRemaining: z.number().nullable(),
  paused: z.string().nullable(),
  webhook: z.string().nullable(),
});
export type WorkspaceStatus = z.output<typeof workspaceStatusSchema>;

export const statusSchema = z.object({
  workspaces: z.array(workspaceStatusSchema),
  stores: z.array(storeStatusSchema),
  backlog: openWork.describe('work that waits'),
  deadLetters: openWork.describe('work that was given up'),
  deliveries: byState,
});
export type Status = z.output<typeof statusSchema>;

const UNMAPPED_MS = 30 * 86_400_000;
const RUNS_SHOWN = 5;
const UNSUCCESSFUL_SHOWN = 50;
const GONE_SHOWN = 10;

/** Stores, last runs, backlog, dead letters and credits, for `status`, the API and the dashboard. */
@Injectable()
export class StatusReader {
  constructor(
    private readonly connections: Connections,
    private readonly stores: StatusRepository,
    private readonly owed: OwedRepository,
    private readonly links: LinkRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly state: StateRepository,
    private readonly clock: Clock,
  ) {}

  /** One configured store. */
  async store(store: Store): Promise<StoreStatus> {
    const [status] = await this.#stores([store], GONE_SHOWN);
    if (status === undefined) throw new Error('the status of a store is missing');
    return status;
  }

  /** `allGone`: every product whose source is gone, instead of the first few. */
  async read(options: { readonly allGone: boolean } = { allGone: false }): Promise<Status> {
    const goneShown = options.allGone ? Number.POSITIVE_INFINITY : GONE_SHOWN;
    const stores = await this.#stores(this.connections.stores, goneShown);
    const workspaces = await Promise.all(
      this.connections.workspaces.map((workspace) => this.#workspace(workspace)),
    );
    const deliveries = await this.deliveries.countByState();
    const sum = (pick: (store: StoreStatus) => number | undefined): number =>
      stores.reduce((total, store) => total + (pick(store) ?? 0), 0);
    return {
      workspaces,
      stores,
      backlog: {
        deliveries: deliveries['received'] ?? 0,
        writeBacks: sum((store) => store.writeBacks['ready']),
        tasks: sum((store) => store.tasks['requested']),
      },
      deadLetters: {
        deliveries: (deliveries['parked'] ?? 0) + (deliveries['failed'] ?? 0),
        writeBacks: sum((store) => store.writeBacks['failed']),
        tasks: sum((store) => store.tasks['abandoned']),
      },
      deliveries,
    };
  }

  async #stores(configured: readonly Store[], goneShown: number): Promise<StoreStatus[]> {
    const keys = configured.map(({ key }) => key);
    const { stores } = this;
    const since = new Date(this.clock.now().getTime() - UNMAPPED_MS);
    const [states, runs, products, tasks, writeBacks] = await Promise.all([
      stores.states(keys),
      stores.latestRuns(keys, RUNS_SHOWN),
      stores.countByState('store_product', keys),
      stores.countByState('generation_task', keys),
      stores.countByState('write_back', keys),
    ]);
    const [held, gated, owed, unmapped, unsuccessful] = await Promise.all([
      stores.held(keys),
      stores.gated(keys),
      this.owed.summaries(keys),
      stores.unmapped(keys, since),
      stores.unsuccessful(keys, UNSUCCESSFUL_SHOWN),
    ]);
    return Promise.all(
      configured.map(async (store): Promise<StoreStatus> => {
        const { key } = store;
        const known = states.get(key);
        return {
          store: key,
          shop: store.settings.shop,
          health: presentHealth(known),
          watermark: known?.watermark?.toISOString() ?? null,
          servedApiVersion: known?.servedVersion ?? null,
          lastRuns: (runs.get(key) ?? []).map(presentRun),
          products: { ...products.get(key) },
          tasks: { ...tasks.get(key) },
          writeBacks: { ...writeBacks.get(key) },
          held: {
            limits: cappedOf(held, key),
            gates: { ...gated.get(key) },
          },
          owed: presentOwed(owed.get(key) ?? NOTHING_OWED),
          unmappedParts: unmapped.get(key) ?? 0,
          unsuccessful: (unsuccessful.get(key) ?? []).map(({ externalId, state, reason }) => ({
            externalId,
            state,
            reason,
          })),
          gone: await goneFrom(this.links, store, goneShown),
        };
      }),
    );
  }

  async #workspace(workspace: Workspace): Promise<WorkspaceStatus> {
    const known = await this.state.workspace(workspace.key);
    return {
      workspace: workspace.key,
      creditsRemaining: known?.creditsRemaining ?? null,
      paused: known?.pausedReason ?? null,
      webhook: known?.webhookFinding ?? null,
    };
  }
}

/** How many write-backs of the store wait for each limit. */
function cappedOf(held: readonly HeldWriteBacks[], key: string): StoreStatus['held']['limits'] {
  const count = (cap: WriteCap): number =>
    held.find(({ store, why }) => store === key && why === cap)?.count ?? 0;
  return { maxWritesPerRun: count('maxWritesPerRun'), maxWritesPerDay: count('maxWritesPerDay') };
}

/** Owed products by reason, in the order of the reasons' table. */
export function presentOwed({ count, since, byCode }: OwedSummary): StoreStatus['owed'] {
  const reasons = OWED_CODES.flatMap((code) => {
    const of = byCode[code] ?? 0;
    return of === 0 ? [] : [{ code, count: of, reason: OWED_REASONS[code] }];
  });
  return { count, since: since?.toISOString() ?? null, reasons };
}
