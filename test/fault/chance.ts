import fc from 'fast-check';
import { drawn } from '../support/drawn.js';

/** Reproducible chance: the same seed gives the same numbers in [0, 1). */
export function chance(seed: number): () => number {
  const numbers = drawn(fc.nat(), seed);
  return () => numbers.next().value / 2 ** 31;
}
