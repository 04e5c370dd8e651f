import { beforeEach, describe, expect, it } from '@jest/globals';
import { Answers } from './answers.js';

const CATALOG = new URL('https://catalog.example.com/api/v1/products/');
let nowMs = 0;
let answers: Answers;

beforeEach(() => {
  nowMs = Date.parse('2026-11-22T15:15:00Z');
  answers = new Answers(() => nowMs);
});

function silentSince(): string | null | undefined {
  const since = answers.silentSince('https://catalog.example.com/api/v1');
  return since instanceof Date ? since.toISOString() : since;
}

describe('a side that does not answer', () => {
  it('is silent after five seconds, while its first request still waits', () => {
    answers.began(CATALOG);
    nowMs += 4_900;
    expect(silentSince()).toBeNull();
    nowMs += 100;
    expect(silentSince()).toBe('2026-11-22T15:15:00.000Z');
  });

  it('stays silent between its tries, since the first one', () => {
    answers.began(CATALOG)('unanswered');
    nowMs += 60_000;
    answers.began(CATALOG)('unanswered');
    expect(silentSince()).toBe('2026-11-22T15:15:00.000Z');
  });

  it('is silent no more once it answers, also when another request still waits', () => {
    answers.began(CATALOG);
    const second = answers.began(CATALOG);
    nowMs += 10_000;
    second('answered');
    expect(silentSince()).toBeNull();
    nowMs += 5_000;
    expect(silentSince()).toBe('2026-11-22T15:15:10.000Z');
  });

  it('is not silent because a request was given up here', () => {
    answers.began(CATALOG)('given up');
    nowMs += 10_000;
    expect(silentSince()).toBeNull();
  });

  it('is not known before the first request', () => {
    expect(silentSince()).toBeUndefined();
  });
});
