import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { FAULTS } from '../fault/fault-map.js';

const EXPECTED = Object.entries({ W: 18, C: 22, S: 14, D: 2, O: 10 }).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, index) => `${letter}${String(index + 1)}`),
);

describe('the map of faults', () => {
  it('leaves no fault out and proves each', () => {
    expect(FAULTS.map(({ id }) => id)).toEqual(EXPECTED);
    for (const { proofs } of FAULTS) expect(proofs.length).toBeGreaterThan(0);
  });

  it('names test files that there are', () => {
    const missing = FAULTS.flatMap(({ proofs }) => proofs).filter(({ file }) => !existsSync(file));
    expect(missing).toEqual([]);
  });
});
