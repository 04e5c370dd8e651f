import { describe, expect, it } from '@jest/globals';
import { AccessThrottle } from './access-throttle.js';

function throttleAt(): { throttle: AccessThrottle; advance: (ms: number) => void } {
  let atMs = 1_000_000;
  return {
    throttle: new AccessThrottle({ now: () => new Date(atMs) }),
    advance: (ms) => {
      atMs += ms;
    },
  };
}

describe('AccessThrottle', () => {
  it('lets slips pass, then doubles the wait up to half a minute', () => {
    const { throttle, advance } = throttleAt();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 10; attempt += 1) {
      throttle.failed('a', String(attempt));
      waits.push(throttle.waitMs('a', 'dashboard'));
      advance(throttle.waitMs('a', 'dashboard'));
      expect(throttle.waitMs('a', 'dashboard')).toBe(0);
    }
    expect(waits).toEqual([0, 0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('allows more wrong tokens from programs, and counts those of the sign-in with them', () => {
    const { throttle } = throttleAt();
    for (let attempt = 0; attempt < 5; attempt += 1) throttle.failed('a', String(attempt));
    expect([throttle.waitMs('a', 'dashboard'), throttle.waitMs('a', 'api')]).toEqual([4000, 0]);
    for (let attempt = 5; attempt < 11; attempt += 1) throttle.failed('a', String(attempt));
    expect(throttle.waitMs('a', 'api')).toBe(2000);
  });

  it('slows no other address, and nobody who got in', () => {
    const { throttle } = throttleAt();
    for (let attempt = 0; attempt < 5; attempt += 1) throttle.failed('a', String(attempt));
    expect(throttle.waitMs('b', 'dashboard')).toBe(0);
    throttle.succeeded('a', 'admin');
    expect(throttle.waitMs('a', 'dashboard')).toBe(0);
  });

  it('slows a viewer who guesses the token of an admin, between its own requests too', () => {
    const { throttle } = throttleAt();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      throttle.failed('a', String(attempt));
      throttle.succeeded('a', 'viewer');
    }
    expect(throttle.waitMs('a', 'dashboard')).toBeGreaterThan(0);
  });

  it('forgets after a quarter of an hour', () => {
    const { throttle, advance } = throttleAt();
    for (let attempt = 0; attempt < 9; attempt += 1) throttle.failed('a', String(attempt));
    advance(15 * 60_000);
    throttle.failed('a', 'again');
    expect(throttle.waitMs('a', 'dashboard')).toBe(0);
  });

  it('counts a repeated wrong token as one guess: an outdated client locks nobody out', () => {
    const { throttle } = throttleAt();
    for (let attempt = 0; attempt < 50; attempt += 1) throttle.failed('a', 'outdated');
    expect(throttle.waitMs('a', 'dashboard')).toBe(0);
  });
});
