import {
  liveValue,
  type LiveProduct,
  type StoreConnector,
  type StoreWriteOptions,
  type TargetWrite,
} from '../domain/store-port.js';
import type { JournalField } from '../domain/write-back-journal.js';
import { afterRevert, type WrittenContent } from '../domain/written-content.js';
import type { WriteBackEntity } from '../persistence/entities/index.js';
import type { PlannedRevert } from '../planner/plan-revert.js';

/** A product whose fields are restored. */
export interface Restoring {
  readonly connector: StoreConnector;
  readonly storeId: string;
  readonly live: LiveProduct;
  readonly options: StoreWriteOptions;
}

/** The journal of a revert that is under way. */
export class RevertProgress {
  readonly #restored: Set<string>;
  readonly #refused = new Map<string, string>();

  /** `record` stores what is restored so far. */
  constructor(
    private readonly row: Pick<WriteBackEntity, 'fields'>,
    private readonly plan: PlannedRevert,
    private readonly writtenBefore: WrittenContent,
    private readonly record: (fields: readonly JournalField[], written: WrittenContent) => Promise<void>,
  ) {
    // What already holds its before-image needs no request.
    const toRestore = new Set(plan.restore.map(({ target }) => target));
    this.#restored = new Set([...plan.restored].filter((target) => !toRestore.has(target)));
  }

  /** The store has these before-images by now. Recorded before anything else is sent. */
  async restored(targets: readonly string[]): Promise<void> {
    if (targets.length === 0) return;
    for (const target of targets) this.#restored.add(target);
    await this.record(this.fields, this.written);
  }

  refuse(target: string, reason: string): void {
    this.#refused.set(target, reason);
  }

  get refused(): string[] {
    return [...this.#refused].map(([target, reason]) => `${target} (${reason})`);
  }

  /** The planned journal, in which fields that are not restored yet stay as they were. */
  get fields(): readonly JournalField[] {
    const before = new Map(this.row.fields.map((field) => [field.target, field]));
    return this.plan.fields.map((field) => {
      const isOpen = this.plan.restored.has(field.target) && !this.#restored.has(field.target);
      return isOpen ? (before.get(field.target) ?? field) : field;
    });
  }

  /** The product's written content with the restored fields. */
  get written(): WrittenContent {
    const before = new Map(this.plan.fields.map((field) => [field.target, field.before]));
    return Object.fromEntries(
      Object.entries(this.writtenBefore).map(([target, field]) => [
        target,
        this.#restored.has(target) ? afterRevert(field, before.get(target) ?? null) : field,
      ]),
    );
  }
}

/**
 * Puts the before-images back and records what each request restored. A field that the store refuses is left as it is, and the others
 * go on. Any other error ends the revert; what was restored is recorded by then.
 */
export async function restoreFields(
  { connector, storeId, live, options }: Restoring,
  fields: readonly JournalField[],
  progress: RevertProgress,
): Promise<void> {
  const writes = fields.map(({ target, before, after, type }): TargetWrite => {
    const present = liveValue(live, target);
    return { target, value: before, expected: after, token: present.token, type: present.type ?? type };
  });
  for await (const outcomes of connector.write(storeId, writes, options)) {
    const restored: string[] = [];
    for (const outcome of outcomes) {
      if (outcome.outcome === 'written') restored.push(outcome.target);
      else progress.refuse(outcome.target, outcome.reason);
    }
    await progress.restored(restored);
  }
}
