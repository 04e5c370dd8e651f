import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import type { Response } from 'express';
import { RunPages } from './run.pages.js';

/** A reader that takes one piece at a time. */
class SlowResponse extends EventEmitter {
  readonly destroyed = false;
  readonly taken: string[] = [];
  mostListeners = 0;

  attachment(): this {
    return this;
  }

  type(): this {
    return this;
  }

  write(piece: string): boolean {
    this.taken.push(piece);
    setImmediate(() => {
      this.mostListeners = Math.max(this.mostListeners, this.listenerCount('close'));
      this.emit('drain');
    });
    return false;
  }

  end(): void {
    this.taken.push('end');
  }
}

it('writes a long CSV to a slow reader without a listener more for each piece', async () => {
  const pieces = Array.from({ length: 30 }, (_unused, index) => `${String(index)}\r\n`);
  const runs = {
    show: () => Promise.resolve({ id: 'r' }),
    csv: async function* () {
      for (const piece of pieces) yield await Promise.resolve(piece);
    },
  };
  const parts = [runs, {}, {}, {}, {}] as unknown as ConstructorParameters<typeof RunPages>;
  const response = new SlowResponse();
  await new RunPages(...parts).csv('r', { offset: 0 }, response as unknown as Response);
  expect(response.taken).toEqual([...pieces, 'end']);
  expect(response.mostListeners).toBe(1);
});
