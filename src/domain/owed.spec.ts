import { describe, expect, it } from '@jest/globals';
import { OWED_CODES, OWED_REASONS, owedForFailure, owedLine } from './owed.js';

describe('owedLine', () => {
  it('is null when nothing is owed', () => {
    expect(owedLine({})).toBeNull();
    expect(owedLine({ changed: 0 })).toBeNull();
  });

  it('names each reason with its number', () => {
    expect(owedLine({ being_written: 2, being_created: 1 })).toBe(
      `put off to the next run: 2: ${OWED_REASONS.being_written}; 1: ${OWED_REASONS.being_created}`,
    );
  });

  const failures: readonly string[] = ['refused', 'unavailable', 'creation_failed'];

  it.each(OWED_CODES.filter((code) => !failures.includes(code)))('has words for %s', (code) => {
    expect(owedLine({ [code]: 1 })).toContain(OWED_REASONS[code]);
  });

  it('has words of its own for every code', () => {
    const reasons = OWED_CODES.map((code) => OWED_REASONS[code]);
    expect(new Set(reasons).size).toBe(OWED_CODES.length);
    for (const reason of reasons) expect(reason).toMatch(/^\S+ \S+ \S+/);
  });

  it('leaves failures out: a run quotes them by themselves', () => {
    expect(owedLine({ refused: 1, unavailable: 2, creation_failed: 3 })).toBeNull();
  });
});

describe('owedForFailure', () => {
  it.each([
    ['invalid', 'refused'],
    ['conflict', 'refused'],
    ['not_found', 'refused'],
    ['misconfigured', 'refused'],
    ['transient', 'unavailable'],
    ['throttled', 'unavailable'],
    ['auth', 'unavailable'],
  ])('an action that failed with %s is owed as %s', (error, owed) => {
    expect(owedForFailure(error)).toBe(owed);
  });
});
