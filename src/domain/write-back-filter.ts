import type { LeftBecause } from './approval.js';
import type { ArrivedFate } from './arrived-content.js';
import type { GateName } from './gate-finding.js';
import type { WriteBackState } from './row-states.js';
import type { FieldOutcome } from './write-back-journal.js';

/** Which write-backs are meant. An absent part selects everything. */
export interface WriteBackFilter {
  readonly state?: WriteBackState | undefined;
  readonly store?: string | undefined;
  readonly externalId?: string | undefined;
  /** Id of the run that asked for the content. */
  readonly run?: string | undefined;
  /** A target, such as `title`, that the write-back means or has in its journal. */
  readonly field?: string | undefined;
  /** The outcome of a field; together with `field`, of that field. */
  readonly outcome?: FieldOutcome | undefined;
  /** The person who decided last. */
  readonly actor?: string | undefined;
  /** A gate that holds it back. */
  readonly gate?: GateName | undefined;
  /** The fate of a value that the result brought. */
  readonly fate?: ArrivedFate | undefined;
  /** Part of the product's title, handle or external_id, or of the reason; or a whole SKU or barcode of the product. */
  readonly search?: string | undefined;
  /** When something happened to it last, in UTC: from this time on. */
  readonly from?: string | undefined;
  /** Before this time. */
  readonly to?: string | undefined;
}

/** The change of every write-back that a filter selects. */
export const BULK_ACTIONS = ['approve', 'reject', 'revert', 'reapply'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** One write-back in the report of a bulk change. */
export interface BulkItem {
  readonly id: string;
  readonly externalId: string;
  /** False when it was, or would be, left as it is. */
  readonly ok: boolean;
  readonly detail: string;
  /** Why an approval of many left it; absent otherwise. */
  readonly left?: LeftBecause;
  /** The fields of a revert, with the outcome of each. */
  readonly fields: readonly {
    readonly target: string;
    readonly outcome: FieldOutcome;
    readonly reason: string;
  }[];
}
