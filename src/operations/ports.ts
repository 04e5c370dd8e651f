import type { PlanCounts } from '../persistence/entities/sync-run.entity.js';
import type { StoreProductEntity, SyncActionEntity, WriteBackEntity } from '../persistence/entities/index.js';
import type { RunTrigger } from '../persistence/entities/sync-run.entity.js';
import type { Approval, Permissions } from '../domain/approval.js';
import type { GateFinding } from '../domain/gate-finding.js';
import type { LiveProduct } from '../domain/store-port.js';
import type { JournalField } from '../domain/write-back-journal.js';
import type { WrittenContent } from '../domain/written-content.js';
import type { DecidedBy } from '../persistence/write-back.repository.js';
import type { FieldDecision } from '../planner/plan-write-back.js';
import type { Store } from '../connections/connections.js';

/*
 * The ports that operations need from the stages. Operations do not import stages: `src/ports.module.ts` binds each
 * port to the stage that implements it. A port is an abstract class, so that it is its own injection token.
 */

/** Starts the work that a row needs. The daemon enqueues a job for the row; a command does the work at once. */
export abstract class RowWorkPort {
  /** Interprets deliveries that were put back. The outcome is in their rows. */
  abstract deliveries(ids: readonly string[]): Promise<void>;
  /** `delayMs`: how long the writing waits, so that an approval can be taken back. */
  abstract writeBacks(ids: readonly string[], delayMs?: number): Promise<void>;
  abstract run(id: string): Promise<void>;
  /** Ends a cancelled run that has no worker. A run that has one is ended by its worker. */
  abstract endRun(id: string): Promise<void>;
  abstract bulkChange(id: string): Promise<void>;
}

/** The storage of the queues. A command has none. */
export abstract class QueuePort {
  abstract readonly kind: 'postgres' | 'redis';
  /** Resolves when the storage answers. */
  abstract ping(): Promise<void>;
}

export abstract class WriteBackReverterPort {
  /** Throws `not_found` for an unknown id, `conflict` when it is not applied, or when the store no longer holds anything that we wrote. */
  abstract revert(id: string, by: DecidedBy): Promise<readonly JournalField[]>;
}

export abstract class ReapplierPort {
  /** The id of the row that writes the texts of a reverted write-back again, or why there is none. */
  abstract reapply(
    id: string,
    by: DecidedBy,
  ): Promise<{ readonly id: string } | 'wrong_state' | 'newer_result'>;
}

export abstract class ApproverPort {
  /** Approves a text that is one of many. Throws a coded error when the store cannot be read. */
  abstract approve(
    id: string,
    permissions: Permissions,
    by: DecidedBy & { readonly delayMs?: number | undefined },
  ): Promise<Approval>;
}

/** What the writer would do with a write-back now, if nobody released anything. */
export interface LookAtStore {
  readonly decided: {
    readonly decisions: readonly FieldDecision[];
    readonly live: LiveProduct;
    readonly written: WrittenContent;
  };
  /** The findings of the store's gates in the texts that would be written. */
  readonly findings: readonly GateFinding[];
}

export abstract class LiveLooksPort {
  /** A look that is at most `maxAgeMs` old. Throws a coded error when the store cannot be read or has no such product. */
  abstract at(row: WriteBackEntity, maxAgeMs: number): Promise<LookAtStore>;
}

export interface GenerationOutcome {
  readonly requested: number;
  /** The reason why the requests stopped early; null when all were made. */
  readonly stopped: string | null;
}

export abstract class GenerationRequesterPort {
  /** Requests generation for the given linked products of one store, within the configured limits. */
  abstract requestGiven(
    store: Store,
    products: readonly StoreProductEntity[],
    signal: AbortSignal,
  ): Promise<GenerationOutcome>;
}

export interface MadePlan {
  readonly kind: 'full' | 'incremental';
  readonly counts: PlanCounts;
  readonly incomplete: string | null;
}

export abstract class SavedPlansPort {
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
