import { ConflictException, NotFoundException } from '@nestjs/common';
import type { RowOutcome } from '../operations/paging.js';

/** The answer about a single row: a refusal is an error, 404 for an unknown id and 409 for a state that does not allow it. */
export function onlyOutcome(outcomes: readonly RowOutcome[]): RowOutcome {
  const [outcome] = outcomes;
  if (outcome?.ok === true) return outcome;
  if (outcome === undefined || outcome.state === null)
    throw new NotFoundException(outcome?.detail ?? 'no such row');
  throw new ConflictException(outcome.detail);
}
