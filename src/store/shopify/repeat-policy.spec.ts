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

describe('the first failure of a call', () => {
  it.each([
    ['a passing fault of a query', fault('transient', 'always'), false, 'wait 250'],
    ['a passing fault of a repeatable document', fault('transient', 'if-repeatable'), true, 'wait 250'],
    ['a passing fault of a mutation', fault('transient', 'if-repeatable'), false, 'throw'],
    ['a refusal', fault('invalid', 'never'), true, 'throw'],
    ['THROTTLED', fault('throttled', 'always'), false, 'wait 1000'],
    ['a 429', fault('throttled', 'always', { status: 429, retryAfterMs: 2_000 }), false, 'wait 2000, all'],
    ['a 429 longer than the limit', fault('throttled', 'always', { retryAfterMs: 6_000 }), false, 'throw'],
    [
      'a longer wait that was asked for',
      fault('transient', 'always', { retryAfterMs: 700 }),
      false,
      'wait 700',
    ],
  ])('%s', (_name, given, isRepeatable, expected) => {
    expect(shown(policy().next(given, isRepeatable, never))).toBe(expected);
  });
});

describe('further failures of a call', () => {
  it('wait twice as long each time, and end with the attempts', () => {
    const each = policy();
    const steps = [1, 2, 3].map(() => shown(each.next(fault('transient', 'always'), false, never)));
    expect(steps).toEqual(['wait 250', 'wait 500', 'throw']);
  });

  it('end with a call that took 45 seconds, without its waits for a limit', () => {
    const each = policy();
    each.next(fault('throttled', 'always', { retryAfterMs: 5_000 }), false, never);
    nowMs += 50_000;
    expect(shown(each.next(fault('transient', 'always'), false, never))).toBe('wait 250');
    nowMs += 1;
    expect(shown(each.next(fault('transient', 'always'), false, never))).toBe('throw');
  });

  it('renew the token once', () => {
    const each = policy();
    const steps = [1, 2].map(() => shown(each.next(fault('auth', 'new-token'), false, () => true)));
    expect(steps).toEqual(['renew-token', 'throw']);
  });

  it('add up the waits for a limit', () => {
    const each = policy();
    const limited = fault('throttled', 'always', { retryAfterMs: 3_000 });
    expect([1, 2].map(() => shown(each.next(limited, false, never)))).toEqual(['wait 3000', 'throw']);
  });

  it('keep the outcome unknown once one try may have been carried out', () => {
    const each = policy();
    each.next(fault('transient', 'always', { outcomeUnknown: true }), false, never);
    const step = each.next(fault('invalid', 'never'), false, never);
    expect(step).toMatchObject({ kind: 'throw', error: { code: 'invalid', outcomeUnknown: true } });
  });
});
