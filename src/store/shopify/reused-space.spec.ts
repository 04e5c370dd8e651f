import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ReusedSpace } from './reused-space.js';

const SEGMENT = 8;

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reused-space-'));
});
afterAll(async () => rm(folder, { recursive: true }));

interface Opened {
  readonly path: string;
  readonly space: ReusedSpace;
}

async function withSpace(use: (opened: Opened) => Promise<void>): Promise<void> {
  const path = join(folder, String((files += 1)));
  const file = await open(path, 'w+');
  try {
    await use({ path, space: new ReusedSpace(file, SEGMENT) });
  } finally {
    await file.close();
  }
}

async function textOf(space: ReusedSpace, from: number, length: number): Promise<string> {
  const buffer = Buffer.alloc(length + 2, '.');
  const bytes = await space.read(buffer, 1, length, from);
  return buffer.toString('latin1', 1, 1 + bytes);
}

describe('space that is used again', () => {
  it('holds what a file holds, however it is written, read and given up', async () => {
    const step = fc.oneof(
      fc.record({ write: fc.integer({ min: 0, max: 30 }) }),
      fc.record({ read: fc.integer({ min: 1, max: 30 }) }),
      fc.constant({ giveUp: true }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) =>
        withSpace(async ({ path, space }) => {
          let text = '';
          let read = 0;
          let most = 0;
          let kept = 0;
          for (const each of steps) {
            if ('write' in each) {
              const more = Array.from({ length: each.write }, (_, index) =>
                String.fromCharCode(97 + ((text.length + index) % 26)),
              ).join('');
              await space.write(Buffer.from(more), text.length);
              text += more;
              most = Math.max(most, text.length - kept);
            } else if ('read' in each) {
              const length = Math.min(each.read, text.length - read);
              expect(await textOf(space, read, length)).toBe(text.slice(read, read + length));
              read += length;
            } else {
              space.giveUp(read);
              kept = read;
            }
          }
          // A segment at each end may be needed for one byte.
          expect((await stat(path)).size).toBeLessThanOrEqual(most + 2 * SEGMENT);
        }),
      ),
    );
  });

  it('lies on disk as it is in the file until some of it is given up', () =>
    withSpace(async ({ path, space }) => {
      await space.write(Buffer.from('abcdefghijklmnopqrst'), 0);
      await expect(readFile(path, 'latin1')).resolves.toBe('abcdefghijklmnopqrst');
    }));

  it('gives up whole segments only', () =>
    withSpace(async ({ path, space }) => {
      await space.write(Buffer.from('abcdefghijkl'), 0);
      space.giveUp(7);
      await space.write(Buffer.from('mnopqrst'), 12);
      await expect(readFile(path, 'latin1')).resolves.toBe('abcdefghijklmnopqrst');
      space.giveUp(8);
      await space.write(Buffer.from('uvwxyz'), 20);
      await expect(readFile(path, 'latin1')).resolves.toBe('yzcdefghijklmnopqrstuvwx');
      await expect(textOf(space, 8, 18)).resolves.toBe('ijklmnopqrstuvwxyz');
    }));

  it('says how much the disk has of what is read', () =>
    withSpace(async ({ space }) => {
      await space.write(Buffer.from('abcdefghij'), 0);
      await expect(textOf(space, 6, 20)).resolves.toBe('ghij');
      await expect(textOf(space, 10, 1)).resolves.toBe('');
      await expect(textOf(space, 40, 1)).resolves.toBe('');
    }));

  it('begins again when it is emptied', () =>
    withSpace(async ({ path, space }) => {
      await space.write(Buffer.from('abcdefghijklmnopqrst'), 0);
      space.giveUp(16);
      await space.empty();
      await expect(textOf(space, 0, 5)).resolves.toBe('');
      await space.write(Buffer.from('again, from the start'), 0);
      await expect(readFile(path, 'latin1')).resolves.toBe('again, from the start');
    }));
});
