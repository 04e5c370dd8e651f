import { counted } from '../domain/text.js';
import type { SyncCost } from '../operations/sync-cost.js';

/** The cost of a sync in one line for people. */
export function costLine(cost: SyncCost): string {
  const { generations, credits, creditsEach, creditsRemaining, limitedBy, waiting } = cost;
  const spent =
    generations === 0
      ? ''
      : credits === null || creditsEach === null
        ? ', cost not known yet'
        : `, about ${rounded(credits)} credits (${rounded(creditsEach)} each)`;
  const remaining =
    generations === 0 || creditsRemaining === null ? '' : `; ${rounded(creditsRemaining)} credits remain`;
  const limit = limitedBy === null ? '' : `; ${limitedBy} leaves ${waiting} to later runs`;
  return `content would be requested for ${counted(generations, 'product')}${spent}${remaining + limit}`;
}

function rounded(credits: number): string {
  return credits.toLocaleString('en-GB', { maximumFractionDigits: 1 });
}
