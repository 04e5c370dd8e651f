import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DeliveryPacer } from './delivery-pacer.js';

let enqueued: string[][];
let pacer: DeliveryPacer;
beforeEach(() => {
  jest.useFakeTimers();
  enqueued = [];
  pacer = new DeliveryPacer({
    enqueueMany: (_queue, ids) => {
      enqueued.push([...ids]);
      return Promise.resolve(ids.length);
    },
  });
});
afterEach(() => {
  pacer.close();
  jest.useRealTimers();
});

const total = (): number => enqueued.flat().length;

/** Arrivals per second, and for how long. */
function arrive(perSecond: number, seconds: number): number {
  let sent = 0;
  for (let passed = 0; passed <= seconds * 1000; passed += 5) {
    for (; sent < (passed / 1000) * perSecond; sent++) pacer.add(`${String(perSecond)}-${String(sent)}`);
    jest.advanceTimersByTime(5);
  }
  return sent;
}

describe('deliveries that come in', () => {
  it('reach the queue within a moment, together', () => {
    pacer.add('a');
    pacer.add('b');
    jest.advanceTimersByTime(50);
    expect(enqueued).toEqual([['a', 'b']]);
  });

  it('all go through at an ordinary rate', () => {
    arrive(50, 2);
    jest.advanceTimersByTime(50);
    expect(total()).toBe(100);
    expect(pacer.flooded).toBe(false);
  });

  it('trickle while a flood lasts, and the rest follows once it is over', () => {
    const sent = arrive(1_000, 2);
    expect(pacer.flooded).toBe(true);
    expect(total()).toBeGreaterThan(25);
    expect(total()).toBeLessThan(60);
    jest.advanceTimersByTime(1_000);
    expect(pacer.flooded).toBe(false);
    expect(new Set(enqueued.flat()).size).toBe(sent);
    expect(total()).toBe(sent);
  });

  it('begin with few when a flood is over, for the next one may follow', () => {
    arrive(1_000, 2);
    enqueued = [];
    jest.advanceTimersByTime(350);
    const sizes = enqueued.map((ids) => ids.length).filter((size) => size > 1);
    expect(sizes.slice(0, 3)).toEqual([15, 30, 60]);
    jest.advanceTimersByTime(1_000);
    expect(Math.max(...enqueued.map((ids) => ids.length))).toBe(500);
  });

  it('hold no more than so many back: the others are the sweeper’s', () => {
    for (let index = 0; index < 25_000; index++) pacer.add(String(index));
    jest.advanceTimersByTime(60_000);
    expect(total()).toBe(20_000);
  });

  it('let work that is queued already begin at the same pace, and all of it afterwards', async () => {
    await pacer.turn();
    arrive(1_000, 0.2);
    let started = 0;
    for (let index = 0; index < 100; index++) void pacer.turn().then(() => (started += 1));
    arrive(1_000, 1);
    await jest.advanceTimersByTimeAsync(0);
    expect(started).toBeGreaterThan(10);
    expect(started).toBeLessThan(30);
    await jest.advanceTimersByTimeAsync(500);
    expect(started).toBe(100);
  });

  it('give turns at the same pace while another process receives a flood, and all of them soon after it', async () => {
    pacer.burstElsewhere(3_000);
    let started = 0;
    for (let index = 0; index < 100; index++) void pacer.turn().then(() => (started += 1));
    await jest.advanceTimersByTimeAsync(1_000);
    pacer.burstElsewhere(1_000);
    await jest.advanceTimersByTimeAsync(900);
    expect(pacer.flooded).toBe(true);
    expect(started).toBeGreaterThan(30);
    expect(started).toBeLessThan(42);
    await jest.advanceTimersByTimeAsync(500);
    expect(pacer.flooded).toBe(false);
    expect(started).toBe(100);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('have no pace after the end, whatever another process receives', async () => {
    pacer.close();
    pacer.burstElsewhere(3_000);
    expect(pacer.flooded).toBe(false);
    await expect(pacer.turn()).resolves.toBeUndefined();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keep nobody waiting for a turn when they end', async () => {
    arrive(1_000, 0.2);
    const turn = pacer.turn();
    pacer.close();
    await expect(turn).resolves.toBeUndefined();
  });

  it('leave no timer behind', () => {
    arrive(1_000, 0.2);
    jest.advanceTimersByTime(5_000);
    expect(jest.getTimerCount()).toBe(0);
  });
});
