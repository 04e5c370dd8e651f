import { appendFile, mkdtemp, open, readFile, rm, stat, type FileHandle } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { until } from '../../../test/support/until.js';
import { EmptiedError, GrowingFile } from './growing-file.js';

let folder: string;
let files = 0;
let path: string;
let file: GrowingFile;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'growing-file-'));
});
afterAll(async () => rm(folder, { recursive: true }));
beforeEach(async () => {
  files += 1;
  path = join(folder, String(files));
  file = await GrowingFile.create(path);
});
afterEach(() => file.close());

async function write(text: string): Promise<void> {
  await file.append(Buffer.from(text));
  await file.flush();
}

/** The bytes of one read, at most `length`. */
async function read(length: number): Promise<string> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length);
  return buffer.toString('latin1', 0, bytesRead);
}

describe('a file that is read while it is written', () => {
  it('is read byte for byte, however writes and reads are cut', async () => {
    const parts = fc.array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.boolean()), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(parts, fc.integer({ min: 1, max: 50 }), async (written, readBytes) => {
        const each = await GrowingFile.create(join(folder, `property-${String((files += 1))}`));
        const whole = Buffer.concat(written.map(([bytes]) => bytes));
        const writing = (async (): Promise<void> => {
          for (const [bytes, flushed] of written) {
            await each.append(bytes);
            if (flushed) await each.flush();
          }
          await each.flush();
          each.complete();
        })();
        const got: Buffer[] = [];
        for (let ended = false; !ended;) {
          const buffer = Buffer.alloc(readBytes);
          const found = await each.read(buffer, 0, readBytes);
          // Only the end of the file is a reason to bring less.
          if (!found.ended) expect(found.bytesRead).toBeGreaterThan(0);
          got.push(buffer.subarray(0, found.bytesRead));
          ended = found.ended;
        }
        await writing;
        await each.close();
        expect(Buffer.concat(got)).toEqual(whole);
      }),
    );
  });

  it('keeps the reader waiting until all that it asked for is there', async () => {
    const reading = read(6);
    await write('abc');
    await expect(Promise.race([reading, Promise.resolve('not yet')])).resolves.toBe('not yet');
    await write('def');
    await expect(reading).resolves.toBe('abcdef');
  });

  it('gives the reader what there is when it ends', async () => {
    const reading = read(6);
    await write('abc');
    file.complete();
    await expect(reading).resolves.toBe('abc');
    await expect(file.read(Buffer.alloc(1), 0, 1)).resolves.toEqual({ bytesRead: 0, ended: true });
  });

  it('says with the last bytes that it has ended', async () => {
    await write('abc');
    file.complete();
    await expect(file.read(Buffer.alloc(3), 0, 3)).resolves.toEqual({ bytesRead: 3, ended: true });
  });

  it('does not keep the writer waiting for the reader', async () => {
    const megabyte = Buffer.alloc(1024 * 1024);
    for (let count = 0; count < 8; count++) await file.append(megabyte);
    file.complete();
    expect(file.size).toBe(8 * megabyte.length);
  });

  it('gives the reader the writer’s error, also where bytes are left', async () => {
    await write('abcdef');
    await expect(read(3)).resolves.toBe('abc');
    file.fail(new Error('cut off'));
    await expect(read(3)).rejects.toThrow('cut off');
    await expect(file.completed()).rejects.toThrow('cut off');
  });

  it.each([
    ['for bytes', (): Promise<unknown> => read(3)],
    ['for the end', (): Promise<unknown> => file.completed()],
  ])('wakes a reader who waits %s when the writer gives up', async (_what, wait) => {
    const waiting = wait();
    file.fail(new Error('cut off'));
    await expect(waiting).rejects.toThrow('cut off');
  });

  it('hides what a failed write left, and removes it before the next bytes', async () => {
    await write('abc');
    await appendFile(path, 'garbage');
    expect(file.size).toBe(3);
    await file.trim();
    await write('def');
    file.complete();
    await expect(read(20)).resolves.toBe('abcdef');
  });
});

const SIZES = { segmentBytes: 4, aheadBytes: 8 };

describe('a file that forgets what was read', () => {
  beforeEach(async () => {
    await file.close();
    file = await GrowingFile.create(path, SIZES);
  });

  it('is read byte for byte, and takes no more room than what is not read', async () => {
    let whole = '';
    let got = '';
    for (let count = 0; count < 26; count++) {
      const part = String.fromCharCode(97 + count).repeat(3);
      whole += part;
      await write(part);
      got += await read(3);
      file.forget();
    }
    expect(got).toBe(whole);
    expect((await stat(path)).size).toBeLessThanOrEqual(2 * SIZES.segmentBytes);
    expect(file.size).toBe(78);
  });

  it('uses the room of what was read before, too', async () => {
    await write('abcdefgh');
    await read(8);
    file.forget();
    await write('ijklmnop');
    expect((await stat(path)).size).toBe(8);
    await expect(read(8)).resolves.toBe('ijklmnop');
  });

  it('keeps everything as long as it need not forget', async () => {
    await write('abcdefgh');
    await read(8);
    await write('ijklmnop');
    await expect(readFile(path, 'latin1')).resolves.toBe('abcdefghijklmnop');
  });

  it('goes on behind a failed write', async () => {
    await write('abcdefghijkl');
    await read(9);
    file.forget();
    await write('mnopqr');
    const { size } = await stat(path);
    await file.trim();
    expect((await stat(path)).size).toBe(size);
    await write('st');
    await expect(read(11)).resolves.toBe('jklmnopqrst');
  });

  it('says to a reader that it was emptied', async () => {
    file.forget();
    await write('abcdefgh');
    await read(6);
    await file.empty();
    await write('newer and longer');
    file.complete();
    await expect(read(3)).rejects.toThrow(EmptiedError);
    await expect(file.completed()).resolves.toBeUndefined();
  });
});

describe('the writer of a file that forgets what was read', () => {
  beforeEach(async () => {
    await file.close();
    file = await GrowingFile.create(path, SIZES);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    file.forget();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('does not wait where it is as far ahead as it may be', async () => {
    await write('abcdefgh');
    await write('i');
    expect(file.size).toBe(9);
  });

  it('waits for the next read where it is further ahead', async () => {
    await write('abcdefghijkl');
    const writing = write('m');
    await until('the writer waits', () => jest.getTimerCount() === 1);
    expect(file.size).toBe(12);
    await expect(read(1)).resolves.toBe('a');
    await writing;
    expect(jest.getTimerCount()).toBe(0);
    await expect(read(12)).resolves.toBe('bcdefghijklm');
  });

  it('does not wait for long', async () => {
    await write('abcdefghi');
    const writing = write('j');
    await until('the writer waits', () => jest.getTimerCount() === 1);
    jest.advanceTimersByTime(31);
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(1);
    await writing;
    expect(file.size).toBe(10);
  });
});

describe('a file that is emptied and written again', () => {
  it('is read as if nothing had been there, when nothing was read before', async () => {
    const reading = read(6);
    await write('old');
    await file.empty();
    await write('newer');
    file.complete();
    await expect(reading).resolves.toBe('newer');
  });

  it('is not read on, so that two files are never mixed', async () => {
    await write('old, long');
    await expect(read(3)).resolves.toBe('old');
    await file.empty();
    await write('newer and longer');
    file.complete();
    await expect(read(3)).rejects.toThrow(EmptiedError);
    await expect(read(3)).rejects.toThrow(EmptiedError);
    await expect(file.completed()).resolves.toBeUndefined();
  });

  it('is not emptied on the disk where nothing was written, as systems write an emptied file out at its end', async () => {
    const handle = await open(path, 'a+');
    const truncate = jest.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'truncate');
    try {
      await file.empty();
      expect(truncate).not.toHaveBeenCalled();
      await write('old');
      await file.empty();
      expect(truncate).toHaveBeenCalledWith(0);
    } finally {
      truncate.mockRestore();
      await handle.close();
    }
  });

  it('says so at once to a reader who waits', async () => {
    await write('old');
    await expect(read(3)).resolves.toBe('old');
    const reading = read(3);
    const emptying = file.empty();
    await expect(reading).rejects.toThrow(EmptiedError);
    await emptying;
  });
});

describe('a file that is discarded', () => {
  it('is removed and closed', async () => {
    const other = join(folder, 'discarded');
    const discarded = await GrowingFile.create(other);
    const close = jest.spyOn(discarded, 'close');
    await discarded.discard(() => rm(other));
    expect(existsSync(other)).toBe(false);
    expect(close).toHaveBeenCalledTimes(1);
  });

  it('is closed first where the file system keeps files that are open', async () => {
    const discarded = await GrowingFile.create(join(folder, 'kept'));
    const steps: string[] = [];
    const close = discarded.close.bind(discarded);
    jest.spyOn(discarded, 'close').mockImplementation(async () => {
      await close();
      await sleep(1);
      steps.push('closed');
    });
    await discarded.discard(() => {
      if (!steps.includes('closed')) return Promise.reject(new Error('ENOTEMPTY'));
      steps.push('removed');
      return Promise.resolve();
    });
    expect(steps).toEqual(['closed', 'removed']);
  });
});

(existsSync('/dev/full') ? it : it.skip)('a write on a full disk fails and counts nothing', async () => {
  const full = await GrowingFile.create('/dev/full');
  await full.append(Buffer.from('abc'));
  await expect(full.flush()).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(full.size).toBe(0);
  await full.close();
});
