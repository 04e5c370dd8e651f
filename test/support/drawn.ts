import fc from 'fast-check';

/** Endless values of an arbitrary. The same seed gives the same values. */
export function drawn<T>(arbitrary: fc.Arbitrary<T>, seed: number): Iterator<T, never> {
  const endless = fc.infiniteStream(arbitrary, { noHistory: true });
  const [values] = fc.sample(endless, { seed, numRuns: 1, unbiased: true });
  if (values === undefined) throw new Error('nothing was drawn');
  return {
    next: () => values.next() as IteratorYieldResult<T>,
  };
}
