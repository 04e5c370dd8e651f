import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteBudget, SMALL_BODY_BYTES, type Holding } from './byte-budget.js';

const MB = 1024 * 1024;

function budget(limit = 64 * MB) {
  const clock = { nowMs: 0 };
  const bytes = new ByteBudget(limit, () => clock.nowMs);
  const gone: string[] = [];
  const open = (name: string): Holding =>
    bytes.open(() => {
      gone.push(name);
    });
  return { bytes, clock, gone, open };
}

describe('the budget of bytes in flight', () => {
  it('refuses what goes beyond it, and takes it again once something is released', () => {
    const { open } = budget();
    const held = Array.from({ length: 4 }, (_, index) => open(String(index)));
    expect(held.map((each) => each.add(10 * MB))).toEqual([true, true, true, true]);
    expect(open('one more').add(10 * MB)).toBe(false);
    held[0]?.release();
    expect(open('again').add(10 * MB)).toBe(true);
  });

  it('keeps a quarter for small bodies, whatever large ones are sent', () => {
    const { open } = budget();
    while (open('large').add(9 * MB));
    expect(open('small').add(1000)).toBe(true);
    expect(open('small').add(SMALL_BODY_BYTES)).toBe(true);
  });

  it('drops a body that stays incomplete for two seconds for a newcomer, the oldest first', () => {
    const { clock, gone, open } = budget(4 * MB);
    open('first').add(200_000);
    open('second').add(200_000);
    while (open('more').add(200_000));
    expect(gone).toEqual([]);
    clock.nowMs = 2_000;
    expect(open('newcomer').add(200_000)).toBe(true);
    expect(gone).toEqual(['first']);
  });

  it('keeps the order of the others when one in the middle has ended', () => {
    const { clock, gone, open } = budget(4 * MB);
    const [, second] = ['first', 'second', 'third'].map((name) => {
      const each = open(name);
      each.add(200_000);
      return each;
    });
    while (open('more').add(200_000));
    second?.release();
    second?.release();
    clock.nowMs = 2_000;
    for (const size of [200_000, 200_000, 200_000]) expect(open('newcomer').add(size)).toBe(true);
    expect(gone).toEqual(['first', 'third']);
  });

  it('does not take the room of a complete body, however old', () => {
    const { clock, gone, open } = budget(4 * MB);
    for (;;) {
      const each = open('complete');
      if (!each.add(200_000)) break;
      each.complete();
    }
    clock.nowMs = 60_000;
    expect(open('newcomer').add(200_000)).toBe(false);
    expect(gone).toEqual([]);
  });

  it('never holds more than its limit, and nothing when all are released', () => {
    const step = fc.record({
      who: fc.nat(9),
      what: fc.constantFrom('add', 'complete', 'release', 'wait'),
      bytes: fc.nat(600_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { bytes, clock } = budget(2 * MB);
        const held = Array.from({ length: 10 }, () => bytes.open(() => undefined));
        for (const { who, what, bytes: size } of steps) {
          if (what === 'wait') clock.nowMs += size / 100;
          else if (what === 'add') held[who]?.add(size);
          else held[who]?.[what]();
          expect(bytes.usedBytes).toBeLessThanOrEqual(2 * MB);
          expect(bytes.usedBytes).toBeGreaterThanOrEqual(0);
        }
        for (const each of held) each.release();
        expect(bytes.usedBytes).toBe(0);
      }),
    );
  });
});
