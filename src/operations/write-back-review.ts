import { Injectable } from '@nestjs/common';
import type { GateFinding } from '../domain/gate-finding.js';
import { errorLine, isCoded } from '../domain/errors.js';
import type { WriteBackFilter } from '../domain/write-back-filter.js';
import type { WriteBackEntity } from '../persistence/entities/index.js';
import { ListingRepository } from '../persistence/listing.repository.js';
import { WriteBackDecisions } from '../persistence/write-back-decisions.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { plainTextOf } from '../planner/html/plain-text.js';
import { isEditable } from '../planner/edited-value.js';
import { Clock } from '../runtime/clock.js';
import { standingIn, type ShownValues } from '../write-back/approver.js';
import { LiveLooks, SAME_PAGE_MS, type Look } from '../write-back/live-looks.js';
import { found } from './found.js';
import { presentWriteBack, type PresentedWriteBack } from './present-write-back.js';
import { ProductNames } from './product-names.js';
import { compareFromJournal, compareWithLive, isOpen, type Comparison } from './write-back-comparison.js';

/** How long an approval on a page can be undone before it is written. */
export const UNDO_MS = 5_000;
/** A list shows looks that are at most so old. */
const SAME_LIST_MS = 300_000;
/** Texts of a bulk approval that are looked at before its question is shown. */
const MOST_LOOKS = 200;
/** An older decision is found in the journal. */
const OFFERED_MS = 600_000;

/** A write-back on its own page. */
export interface ReviewedWriteBack {
  readonly row: PresentedWriteBack;
  readonly label: string;
  /** Whether a person may still decide about it. */
  readonly isOpen: boolean;
  /** Whether its last decision can be undone. */
  readonly isUndoable: boolean;
  /** Targets whose text a person may edit. */
  readonly editable: ReadonlySet<string>;
  readonly comparison: Comparison;
  readonly shownValues: ShownValues;
  /** The findings of the gates now; null when the store could not be read. */
  readonly findings: readonly GateFinding[] | null;
}

/** What stands against the approval of a text, by a look at the live store. */
export interface Objections {
  /** Targets that the merchant edited since. */
  readonly edited: readonly string[];
  readonly gates: readonly GateFinding[];
  /** The title and the description as they are in the shop; empty where they were not looked at. */
  readonly before: { readonly title: string; readonly description: string };
}

/** What a look at many texts found. `looked` of `total` were looked at in time. */
export interface ObjectionCounts {
  readonly total: number;
  readonly looked: number;
  readonly edited: number;
  readonly gated: number;
}

/** The last decision of a person. */
export interface LastDecision {
  readonly id: string;
  readonly label: string;
  /** What was decided, such as `approved` or `rejected: too long`. */
  readonly reason: string;
  /** `undo`: it is not written yet. `revert`: it is in the store. */
  readonly offer: 'undo' | 'revert';
  /** When an approval is written, as milliseconds since 1970; null for another decision. */
  readonly writtenAtMs: number | null;
}

/** Shows people what a text would do to the live store, before they decide. Reads only. */
@Injectable()
export class WriteBackReview {
  constructor(
    private readonly writeBacks: WriteBackRepository,
    private readonly listing: ListingRepository,
    private readonly decisions: WriteBackDecisions,
    private readonly names: ProductNames,
    private readonly looks: LiveLooks,
    private readonly clock: Clock,
  ) {}

  /** Compares with the store as it is now, or with the journal once it is settled. Throws `not_found` for an unknown id. */
  async open(id: string): Promise<ReviewedWriteBack> {
    const row = found(await this.writeBacks.get(id), 'write-back', id);
    const label = await this.names.one(row.externalId);
    const isDecided = row.state === 'rejected' || row.state === 'ready';
    return {
      row: presentWriteBack(row),
      label,
      isOpen: isOpen(row),
      isUndoable: isDecided && row.intendedBefore !== null,
      editable: new Set(row.intended.filter(isEditable).map(({ target }) => target)),
      ...(await this.#compared(row, 0)),
    };
  }

  /** The comparison that a page has just shown, for its frames. Throws `not_found` for an unknown id. */
  async compared(id: string): Promise<Comparison> {
    const row = found(await this.writeBacks.get(id), 'write-back', id);
    return (await this.#compared(row, SAME_PAGE_MS)).comparison;
  }

  /** Does not throw when a store does not answer; the comparison has the reason. */
  async #compared(
    row: WriteBackEntity,
    maxAgeMs: number,
  ): Promise<Pick<ReviewedWriteBack, 'comparison' | 'shownValues' | 'findings'>> {
    if (!isOpen(row)) return { comparison: compareFromJournal(row), shownValues: {}, findings: null };
    const look = await this.#look(row, maxAgeMs);
    if ('problem' in look) return { comparison: compareWithLive(row, look), shownValues: {}, findings: null };
    const { decided, findings } = look;
    return { comparison: compareWithLive(row, decided), shownValues: standingIn(decided), findings };
  }

  async #look(row: WriteBackEntity, maxAgeMs: number): Promise<Look | { readonly problem: string }> {
    try {
      return await this.looks.at(row, maxAgeMs);
    } catch (error) {
      if (!isCoded(error)) throw error;
      return { problem: errorLine(error) };
    }
  }

  /** What stands against each of the texts, by looks that are at most minutes old. A text whose store does not answer in time is absent. */
  async objections(ids: readonly string[]): Promise<ReadonlyMap<string, Objections>> {
    const rows = (await this.writeBacks.byIds(ids)).filter(isOpen);
    const looks = await Promise.all(
      rows.map(async (row) => {
        const look = await this.#look(row, SAME_LIST_MS);
        return 'problem' in look ? null : ([row.id, objectionsIn(look)] as const);
      }),
    );
    return new Map(looks.filter((each) => each !== null));
  }

  /** The same for the first of all that a filter selects, as numbers. */
  async countObjections(filter: WriteBackFilter): Promise<ObjectionCounts> {
    const page = { limit: MOST_LOOKS, offset: 0, order: 'desc' } as const;
    const { rows, total } = await this.listing.writeBacks(page, filter);
    const objections = [...(await this.objections(rows.map(({ id }) => id))).values()];
    return {
      total,
      looked: objections.length,
      edited: objections.filter(({ edited }) => edited.length > 0).length,
      gated: objections.filter(({ gates }) => gates.length > 0).length,
    };
  }

  /** The id of the write-back at a position of a list. */
  async idAt(position: number, filter: WriteBackFilter): Promise<string | null> {
    const page = { limit: 1, offset: position, order: 'desc' } as const;
    const { rows } = await this.listing.writeBacks(page, filter);
    return rows[0]?.id ?? null;
  }

  /** The last decision of a person that can be undone or reverted; null when there is none of the last minutes. */
  async lastDecision(actor: string): Promise<LastDecision | null> {
    const since = new Date(this.clock.now().getTime() - OFFERED_MS);
    const row = await this.decisions.last(actor, since);
    if (row === null) return null;
    const { id, externalId, reason, state, nextAttemptAt } = row;
    return {
      id,
      label: await this.names.one(externalId),
      reason: reason ?? state,
      offer: state === 'applied' ? 'revert' : 'undo',
      writtenAtMs: state === 'ready' ? nextAttemptAt.getTime() : null,
    };
  }
}

function objectionsIn({ decided, findings }: Look): Objections {
  const edited = decided.decisions
    .filter(({ verdict }) => verdict === 'conflict')
    .map(({ target }) => target);
  const valueOf = (target: string): string => decided.live.values.get(target)?.value ?? '';
  return {
    edited,
    gates: findings,
    before: { title: valueOf('title'), description: plainTextOf(valueOf('descriptionHtml')) },
  };
}
