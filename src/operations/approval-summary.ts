import type { BulkChangeSummary } from './bulk-changes.js';
import type { LeftBecause } from '../domain/approval.js';

/** The counts of an approval of more than one text. */
export interface ApprovalCounts {
  readonly approved: number;
  /** Left, in whole or in part, because the merchant edited them. */
  readonly leftEdited: number;
  /** Left because a gate holds them back. */
  readonly leftGated: number;
  /** Left for another reason, such as an earlier decision. */
  readonly refused: number;
}

/** For people: `12 approved, 1 left: edited by the merchant, 2 left: held back by a gate`. */
export function approvalSummary({ approved, leftEdited, leftGated, refused }: ApprovalCounts): string {
  return [
    `${String(approved)} approved`,
    ...(leftEdited > 0 ? [`${String(leftEdited)} left: edited by the merchant`] : []),
    ...(leftGated > 0 ? [`${String(leftGated)} left: held back by a gate`] : []),
    ...(refused > 0 ? [`${String(refused)} refused`] : []),
  ].join(', ');
}

/** The counts of a bulk approval, whose `refused` has all that it left. */
export function bulkApprovalSummary({
  done,
  refused,
  leftEdited,
  leftGated,
}: Pick<BulkChangeSummary, 'done' | 'refused' | 'leftEdited' | 'leftGated'>): string {
  const others = refused - leftEdited - leftGated;
  return approvalSummary({ approved: done, leftEdited, leftGated, refused: others });
}

export function countApprovals(
  outcomes: readonly { readonly ok: boolean; readonly left?: LeftBecause | undefined }[],
): ApprovalCounts {
  const count = (is: (outcome: (typeof outcomes)[number]) => boolean): number => outcomes.filter(is).length;
  return {
    approved: count(({ ok }) => ok),
    leftEdited: count(({ left }) => left === 'edited'),
    leftGated: count(({ left }) => left === 'gate'),
    refused: count(({ ok, left }) => !ok && left === undefined),
  };
}
