import type { FieldOutcome } from '../domain/write-back-journal.js';
import { WRITE_BACK_TRANSITIONS } from '../domain/row-states.js';
import type { WriteBackEntity } from '../persistence/entities/index.js';
import { placeInTarget } from '../domain/metafield-key.js';
import { placeOfTarget } from '../domain/write-target.js';
import { partsOf } from './journal-parts.js';
import type { FieldDecision, FieldVerdict } from '../planner/field-verdict.js';

/** One field of a write-back: the value in the store, and the intended or written value. */
export interface ComparedField {
  readonly target: string;
  readonly kind: 'text' | 'html' | 'metafield';
  /** The type of a metafield. */
  readonly type: string | null;
  readonly before: string | null;
  readonly after: string | null;
  /** The decision if it were written now, or the recorded outcome. */
  readonly verdict: FieldVerdict | FieldOutcome | null;
  readonly reason: string | null;
}

export interface Comparison {
  /**
   * live: `before` is the store's current value. journal: `before` is the value at that time. unread: the store did
   * not answer.
   */
  readonly source: 'live' | 'journal' | 'unread';
  /** The reason why the store could not be read, for people. */
  readonly problem: string | null;
  readonly fields: readonly ComparedField[];
}

/** The decisions of the writer about a write-back, or the reason why the store could not be read. */
export type LiveAnswer = { readonly decisions: readonly FieldDecision[] } | { readonly problem: string };

/** The parts of a write-back that are compared. */
type Compared = Pick<WriteBackEntity, 'intended' | 'fields'>;

/** Whether a person may still decide about it. */
export function isOpen(row: Pick<WriteBackEntity, 'state'>): boolean {
  const next: readonly string[] = WRITE_BACK_TRANSITIONS[row.state];
  return next.includes('rejected');
}

/** Pure: an open write-back beside the current store values, field by field, as the writer decides. */
export function compareWithLive(row: Pick<Compared, 'intended'>, answer: LiveAnswer): Comparison {
  if ('problem' in answer) {
    const fields = row.intended.map(({ target, type, value }): ComparedField => {
      return { ...named(target, type), before: null, after: value, verdict: null, reason: null };
    });
    return { source: 'unread', problem: answer.problem, fields };
  }
  const decisions = Map.groupBy(answer.decisions, ({ target, partOf }) => partOf ?? target);
  const fields = [...decisions].map(([target, parts]) => comparedField(target, parts));
  return { source: 'live', problem: null, fields };
}

/** One field of the comparison: a person accepts an intended value as a whole, with a line for each of its parts. */
function comparedField(target: string, parts: readonly FieldDecision[]): ComparedField {
  const [first] = parts;
  const { verdict = null, reason = null } = parts.find((part) => part.verdict === 'write') ?? first ?? {};
  const common = { ...named(target, first?.type ?? null), verdict, reason };
  if (first?.partOf === undefined)
    return { ...common, before: first?.before ?? null, after: first?.value ?? null };
  const lines = (textOf: (part: FieldDecision) => string | null): string =>
    parts.map((part, place) => `${String(place + 1)}: ${textOf(part) ?? ''}`.trim()).join('\n');
  return {
    ...common,
    before: lines((part) => part.before),
    after: lines((part) => (part.verdict === 'write' ? part.value : part.before)),
  };
}

/** Pure: shows a settled write-back from the journal. */
export function compareFromJournal(row: Compared): Comparison {
  const fields = partsOf(row).map(({ target, intended, journal }): ComparedField => ({
    ...named(target, journal?.type ?? intended?.type ?? null),
    before: journal?.before ?? null,
    after: journal?.after ?? intended?.value ?? null,
    verdict: journal?.outcome ?? null,
    reason: journal?.reason ?? null,
  }));
  return { source: 'journal', problem: null, fields };
}

function named(target: string, type: string | null): Pick<ComparedField, 'target' | 'kind' | 'type'> {
  const { base } = placeOfTarget(target);
  if (placeInTarget(base) !== null) return { target, kind: 'metafield', type };
  return { target, kind: base === 'descriptionHtml' ? 'html' : 'text', type: null };
}
