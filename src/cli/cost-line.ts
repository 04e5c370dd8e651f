import type { SyncCost } from '../operations/sync-cost.js';
import { messages } from './messages.js';

/** The cost of a sync in one line for people. */
export function costLine(cost: SyncCost): string {
  const { generations, credits, creditsEach, creditsRemaining, limitedBy, waiting } = cost;
  const spent =
    generations === 0
      ? ''
      : credits === null || creditsEach === null
        ? messages.costUnknown
        : messages.costCredits(rounded(credits), rounded(creditsEach));
  const remaining =
    generations === 0 || creditsRemaining === null ? '' : messages.creditsRemain(rounded(creditsRemaining));
  const limit = limitedBy === null ? '' : messages.costLimited(waiting, limitedBy);
  return messages.costs(generations, spent, remaining + limit);
}

function rounded(credits: number): string {
  return credits.toLocaleString('en-GB', { maximumFractionDigits: 1 });
}
