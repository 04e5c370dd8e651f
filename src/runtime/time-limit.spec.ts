import { describe, expect, it } from '@jest/globals';
import { CodedError } from '../domain/errors.js';
import { repeatFor, timedOut, TimeLimit, within, unlessAborted } from './time-limit.js';

const never = new Promise<never>(() => undefined);

describe('within', () => {
  it('returns the result of work that ends in time', async () => {
    expect(await within(1_000, Promise.resolve('done'), () => 'late')).toBe('done');
  });

  it('returns the substitute once the time is over', async () => {
    expect(await within(1, never, () => 'late')).toBe('late');
  });

  it('throws the error of the substitute once the time is over', async () => {
    await expect(within(1, never, timedOut('the database does not answer'))).rejects.toMatchObject({
      code: 'transient',
      message: 'the database does not answer',
    });
  });

  it('throws the error of work that fails in time', async () => {
    await expect(within(1_000, Promise.reject(new Error('refused')), () => null)).rejects.toThrow('refused');
  });

  it('leaves no unhandled rejection when the work fails after the time is over', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): unknown => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const work = Promise.withResolvers<never>();
    expect(await within(1, work.promise, () => 'late')).toBe('late');
    work.reject(new Error('too late'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });
});

describe('TimeLimit', () => {
  it('aborts its signal when the time is over', async () => {
    const limit = new TimeLimit(1);
    await new Promise((resolve) => limit.signal.addEventListener('abort', resolve));
    expect(limit.passed).toBe(true);
  });

  it('has not passed when it was aborted for another reason', () => {
    const limit = new TimeLimit(1_000);
    limit.abort();
    limit.end();
    expect([limit.signal.aborted, limit.passed]).toEqual([true, false]);
  });

  it('does not abort after the work has ended', async () => {
    const limit = new TimeLimit(2);
    limit.end();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect([limit.signal.aborted, limit.passed]).toEqual([false, false]);
  });
});

describe('repeatFor', () => {
  it('returns the first success', async () => {
    let attempts = 0;
    const result = await repeatFor(50, () => {
      attempts += 1;
      return attempts < 2 ? Promise.reject(new CodedError('transient', 'starting')) : Promise.resolve('up');
    });
    expect([result, attempts]).toEqual(['up', 2]);
  });

  it('throws the last error once the time is over', async () => {
    await expect(repeatFor(0, () => Promise.reject(new CodedError('transient', 'down')))).rejects.toThrow(
      'down',
    );
  });

  it('throws a wrong configuration at once', async () => {
    let attempts = 0;
    const attempt = (): Promise<never> => {
      attempts += 1;
      return Promise.reject(new CodedError('misconfigured', 'wrong password'));
    };
    await expect(repeatFor(60_000, attempt)).rejects.toThrow('wrong password');
    expect(attempts).toBe(1);
  });
});

describe('unlessAborted', () => {
  it('returns what the work returns, with a signal and without', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
    expect(await unlessAborted(Promise.resolve(1))).toBe(1);
    expect(await unlessAborted(undefined, signal)).toBeUndefined();
  });

  it('throws what the work throws', async () => {
    const { signal } = new AbortController();
    await expect(unlessAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
  });

  it('throws the reason of a signal that is aborted first, or was before', async () => {
    const stop = new AbortController();
    const waiting = unlessAborted(new Promise(() => undefined), stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await expect(unlessAborted(Promise.resolve(1), stop.signal)).rejects.toThrow('stopped');
  });
});
