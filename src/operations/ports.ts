import type { PlanCounts } from '../persistence/entities/saved-plan.entity.js';
import type { StoreProductEntity, SyncActionEntity } from '../persistence/entities/index.js';
import type { RunTrigger } from '../persistence/entities/sync-run.entity.js';
import type { JournalField } from '../domain/write-back-journal.js';
import type { Store, Workspace } from '../sites/sites.js';

/**
 * What operations ask of the stages. Stages do not call each other: the composition root binds each of these, for the daemon by
 * a nudge where the work can wait, for a command by doing it on the spot. Abstract classes, so that each is its own token.
 */
export abstract class RowWork {
  /** Looks at deliveries that were put back, soon or at once; what comes of it stands in their rows. */
  abstract deliveries(ids: readonly string[]): Promise<void>;
  abstract writeBacks(ids: readonly string[]): Promise<void>;
  abstract run(id: string): Promise<void>;
}

export abstract class WriteBackUndoing {
  /** Throws `not_found` for an unknown id, `conflict` when it is not applied or nothing of it is ours any more. */
  abstract revert(id: string): Promise<readonly JournalField[]>;
}

export interface GenerationOutcome {
  readonly requested: number;
  /** Why asking stopped early; null when all were asked for. */
  readonly stopped: string | null;
}

export abstract class GenerationAsking {
  /** Asks for the given linked products of one store, under the configured brakes. */
  abstract ask(
    store: Store,
    products: readonly StoreProductEntity[],
    signal: AbortSignal,
  ): Promise<GenerationOutcome>;
}

export interface SlotLook {
  readonly state: 'ours' | 'free' | 'foreign' | 'unknown';
  /** What is there, for people; never a secret. */
  readonly detail: string;
}

export abstract class SlotKeeping {
  abstract look(workspace: Workspace): Promise<SlotLook>;
  /** Throws `misconfigured` when `server.publicUrl` is not set. */
  abstract register(workspace: Workspace, options: { force: boolean }): Promise<SlotLook>;
  abstract remove(workspace: Workspace, options: { force: boolean }): Promise<SlotLook>;
}

export interface MadePlan {
  readonly kind: 'full' | 'incremental';
  readonly counts: PlanCounts;
  readonly incomplete: string | null;
}

export abstract class Planning {
  abstract draft(store: string): Promise<string>;
  abstract fill(
    planId: string,
    store: string,
    options: {
      full: boolean;
      signal: AbortSignal;
      onProgress: (seen: number) => void;
      onActions: (actions: readonly SyncActionEntity[]) => void;
    },
  ): Promise<MadePlan>;
  abstract apply(
    planId: string,
    trigger: RunTrigger,
    signal: AbortSignal,
  ): Promise<{ runId: string; entries: number; refused: number }>;
}
