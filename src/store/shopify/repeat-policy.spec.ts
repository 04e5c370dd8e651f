import { describe, expect, it } from '@jest/globals';
import { CodedError } from '../../domain/errors.js';
import type { Fault } from './faults.js';
import { RepeatPolicy, type NextStep } from './repeat-policy.js';

type Details = ConstructorParameters<typeof CodedError>[2];

function fault(code: CodedError['code'], repeat: Fault['repeat'], details: Details = {}): Fault {
  return { error: new CodedError(code, code, details), repeat };
}

let nowMs = 0;
const policy = (attempts = 3) =>
  new RepeatPolicy(
    { throttleWaitMs: 5_000, attempts },
    () => 0.5,
    () => nowMs,
  );
const never = (): boolean => false;
const shown = (step: NextStep): string =>
  step.kind === 'wait' ? `wait ${step.ms}${step.pauseAll ? ', all' : ''}` : step.kind;

// connector-calls.spec and connector-writes.spec have what a call shows by itself.
describe('a failed attempt of a call', () => {
  it.each([
    ['a passing fault of a repeatable document', fault('transient', 'if-repeatable'), 'wait 250'],
    ['a 429, for all', fault('throttled', 'always', { status: 429, retryAfterMs: 2_000 }), 'wait 2000, all'],
    ['a 429 longer than the limit', fault('throttled', 'always', { retryAfterMs: 6_000 }), 'throw'],
    [
      'a 429 that asks for no wait',
      fault('throttled', 'always', { status: 429, retryAfterMs: 0 }),
      'wait 1000, all',
    ],
    ['a THROTTLED, as long as its cost says', fault('throttled', 'always', { retryAfterMs: 50 }), 'wait 50'],
    ['a longer wait that was asked for', fault('transient', 'always', { retryAfterMs: 700 }), 'wait 700'],
    [
      'a fault that lasts longer than the call may',
      fault('transient', 'always', { retryAfterMs: 600_000 }),
      'throw',
    ],
  ])('%s', (_name, given, expected) => {
    expect(shown(policy().next(given, true, never))).toBe(expected);
  });

  it('is the last one after 45 seconds, without the waits for a limit', () => {
    const each = policy();
    each.next(fault('throttled', 'always', { retryAfterMs: 5_000 }), false, never);
    nowMs += 50_000;
    expect(shown(each.next(fault('transient', 'always'), false, never))).toBe('wait 250');
    nowMs += 1;
    expect(shown(each.next(fault('transient', 'always'), false, never))).toBe('throw');
  });

  it('renews the token once', () => {
    const each = policy();
    const steps = [1, 2].map(() => shown(each.next(fault('auth', 'new-token'), false, () => true)));
    expect(steps).toEqual(['renew-token', 'throw']);
  });
});
