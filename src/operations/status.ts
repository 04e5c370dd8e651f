import { z } from 'zod';
import type { DeliveryRepository } from '../persistence/delivery.repository.js';
import type { LinkRepository } from '../persistence/link.repository.js';
import type { RunRepository } from '../persistence/run.repository.js';
import type { StateRepository } from '../persistence/state.repository.js';
import type { TaskRepository } from '../persistence/task.repository.js';
import type { WriteBackRepository } from '../persistence/write-back.repository.js';
import type { Sites, Store, Workspace } from '../sites/sites.js';
import { goneFrom, goneSchema } from './gone.js';
import { presentRun, runSchema } from './present-run.js';

export interface StatusParts {
  readonly sites: Sites;
  readonly runs: RunRepository;
  readonly links: LinkRepository;
  readonly tasks: TaskRepository;
  readonly deliveries: DeliveryRepository;
  readonly writeBacks: WriteBackRepository;
  readonly state: StateRepository;
}

const byState = z.record(z.string(), z.int());
const openWork = z.object({ deliveries: z.int(), writeBacks: z.int(), tasks: z.int() });

const storeStatusSchema = z.object({
  store: z.string(),
  shop: z.string(),
  watermark: z.iso.datetime().nullable(),
  lastRuns: z.array(runSchema),
  products: byState,
  tasks: byState,
  writeBacks: byState,
  /** Products whose newest generation brought nothing, with the service's reason. */
  unsuccessful: z.array(
    z.object({ externalId: z.string(), state: z.string(), reason: z.string().nullable() }),
  ),
  /** With `deleted: report`: catalog products whose source is gone, the first few unless all were asked for; else null. */
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

/** `readStatus` with its parts bound: what commands and the API share. */
export class StatusReader {
  constructor(private readonly parts: StatusParts) {}

  /** `allGone`: every product whose source is gone, instead of the first few. */
  read(options: { readonly allGone: boolean } = { allGone: false }): Promise<Status> {
    return readStatus(this.parts, options.allGone ? Number.POSITIVE_INFINITY : GONE_SHOWN);
  }
}

const RUNS_SHOWN = 5;
const UNSUCCESSFUL_SHOWN = 50;
const GONE_SHOWN = 10;

/** Stores, last runs, backlog, dead letters, credits: the one picture that `status` and the dashboard show. */
export async function readStatus(parts: StatusParts, goneShown: number = GONE_SHOWN): Promise<Status> {
  const stores = await Promise.all(parts.sites.stores.map((store) => storeStatus(parts, store, goneShown)));
  const workspaces = await Promise.all(
    parts.sites.workspaces.map((workspace) => workspaceStatus(parts, workspace)),
  );
  const deliveries = await parts.deliveries.countByState();
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

async function storeStatus(parts: StatusParts, store: Store, goneShown: number): Promise<StoreStatus> {
  const [known, runs, products, tasks, writeBacks, unsuccessful, gone] = await Promise.all([
    parts.state.store(store.key),
    parts.runs.latest(store.key, RUNS_SHOWN),
    parts.links.countByState(store.key),
    parts.tasks.countByState(store.key),
    parts.writeBacks.countByState(store.key),
    parts.tasks.unsuccessful(store.key, UNSUCCESSFUL_SHOWN),
    goneFrom(parts.links, store, goneShown),
  ]);
  return {
    store: store.key,
    shop: store.settings.shop,
    watermark: known?.watermark?.toISOString() ?? null,
    lastRuns: runs.map(presentRun),
    products,
    tasks,
    writeBacks,
    unsuccessful: unsuccessful.map(({ externalId, state, reason }) => ({ externalId, state, reason })),
    gone,
  };
}

async function workspaceStatus(parts: StatusParts, workspace: Workspace): Promise<WorkspaceStatus> {
  const known = await parts.state.workspace(workspace.key);
  return {
    workspace: workspace.key,
    creditsRemaining: known?.creditsRemaining ?? null,
    paused: known?.pausedReason ?? null,
    webhook: known?.webhookFinding ?? null,
  };
}
