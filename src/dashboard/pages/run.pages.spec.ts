import { setImmediate as soon } from 'node:timers/promises';
import { Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { Shutdown } from '../../runtime/shutdown.js';
import { RunPages } from './run.pages.js';

/** A reader that takes so many pieces. */
class Reader extends Writable {
  readonly taken: string[] = [];
  /** Called by the socket once the reader has taken nothing for a while. */
  onSilence = (): unknown => undefined;

  constructor(private readonly most: number) {
    super({ highWaterMark: 1 });
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.taken.push(String(piece));
    if (this.taken.length < this.most) setImmediate(done);
  }

  attachment(): this {
    return this;
  }

  type(): this {
    return this;
  }

  setTimeout(_ms: number, onSilence: () => unknown): void {
    this.onSilence = onSilence;
  }
}

const pieces = Array.from({ length: 30 }, (_unused, index) => `${String(index)}\r\n`);
let shutdown: Shutdown;
beforeEach(() => {
  shutdown = new Shutdown();
});

function csvTo(reader: Reader): Promise<void> {
  const runs = {
    show: () => Promise.resolve({ id: 'r' }),
    csv: async function* () {
      for (const piece of pieces) yield await Promise.resolve(piece);
    },
  };
  const parts = [runs, {}, {}, {}, shutdown, {}] as unknown as ConstructorParameters<typeof RunPages>;
  return new RunPages(...parts).csv('r', { offset: 0 }, reader as unknown as Response);
}

describe('the CSV file of a run', () => {
  it('is written to a slow reader as it takes it', async () => {
    const reader = new Reader(Infinity);
    await csvTo(reader);
    expect(reader.taken).toEqual(pieces);
  });

  it.each([
    ['takes nothing for too long', (reader: Reader) => reader.onSilence()],
    ['is there when the program stops', () => shutdown.onModuleDestroy()],
  ])('is not kept for a reader that %s', async (_what, end) => {
    const reader = new Reader(3);
    const written = csvTo(reader);
    while (reader.taken.length < 3) await soon();
    end(reader);
    await expect(written).rejects.toThrow();
    expect(reader.destroyed).toBe(true);
  });
});
