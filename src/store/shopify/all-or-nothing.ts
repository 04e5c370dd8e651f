import type { WriteOutcome } from '../../domain/store-port.js';
import { refused } from '../outcomes.js';
import { entryIndex } from './refusal.js';
import type { UserError } from './schemas.js';

interface Targeted {
  readonly target: string;
}

/** A call whose entries the store writes all or not at all. */
export interface AllOrNothing<Write extends Targeted, Stored> {
  /** The entries that one call may have. */
  readonly most: number;
  readonly send: (
    writes: readonly Write[],
  ) => Promise<{ readonly errors: readonly UserError[]; readonly stored: Stored }>;
  /** The outcome of an entry of a call without errors. */
  readonly outcomeOf: (write: Write, stored: Stored) => WriteOutcome;
  readonly refusalOf?: (write: Write, error: UserError) => WriteOutcome;
}

/**
 * The outcome of each write, in the given order. Refused entries are removed and the rest is sent again. Where the store names no
 * entry, each is sent by itself.
 */
export async function writeAllOrNothing<Write extends Targeted, Stored>(
  writes: readonly Write[],
  call: AllOrNothing<Write, Stored>,
  most = call.most,
): Promise<readonly WriteOutcome[]> {
  const outcomes: WriteOutcome[] = [];
  for (let at = 0; at < writes.length; at += most)
    outcomes.push(...(await writeTogether(writes.slice(at, at + most), call)));
  return outcomes;
}

async function writeTogether<Write extends Targeted, Stored>(
  writes: readonly Write[],
  call: AllOrNothing<Write, Stored>,
): Promise<readonly WriteOutcome[]> {
  const { errors, stored } = await call.send(writes);
  const [error] = errors;
  if (error === undefined) return writes.map((write) => call.outcomeOf(write, stored));
  const reasons = new Map(errors.map((each) => [entryIndex(each), each]));
  const isNamed = writes.some((_write, index) => reasons.has(index));
  if (!isNamed && writes.length > 1) return writeAllOrNothing(writes, call, 1);
  const outcomes = new Map<string, WriteOutcome>();
  const rest: Write[] = [];
  for (const [index, write] of writes.entries()) {
    const reason = isNamed ? reasons.get(index) : error;
    if (reason === undefined) rest.push(write);
    else outcomes.set(write.target, call.refusalOf?.(write, reason) ?? refused(write.target, reason.message));
  }
  for (const outcome of await writeAllOrNothing(rest, call)) outcomes.set(outcome.target, outcome);
  return writes.flatMap(({ target }) => outcomes.get(target) ?? []);
}
