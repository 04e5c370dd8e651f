import type { TargetWrite, WriteOutcome } from '../domain/store-port.js';

/** A write with a value. */
export interface TextWrite extends TargetWrite {
  readonly value: string;
}

export function written(target: string, value: string | null): WriteOutcome {
  return { target, outcome: 'written', value };
}

export function refused(target: string, reason: string): WriteOutcome {
  return { target, outcome: 'refused', reason };
}

export function changedMeanwhile(target: string, reason: string): WriteOutcome {
  return { target, outcome: 'changed_meanwhile', reason };
}

/** Sends all writes in one request. A store that refuses it may mean one of them, so each is then sent by itself. */
export async function* togetherOrEach<Write>(
  writes: readonly Write[],
  send: (writes: readonly Write[]) => Promise<readonly WriteOutcome[]>,
): AsyncGenerator<readonly WriteOutcome[]> {
  if (writes.length === 0) return;
  const outcomes = await send(writes);
  const isRefused = outcomes.every(({ outcome }) => outcome === 'refused');
  if (!isRefused || writes.length === 1) yield outcomes;
  else for (const write of writes) yield await send([write]);
}
