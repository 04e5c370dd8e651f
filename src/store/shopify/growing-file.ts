import { open, type FileHandle } from 'node:fs/promises';
import { within } from '../../runtime/time-limit.js';
import { ReusedSpace } from './reused-space.js';

/** Each write costs a wake-up of another thread, whatever its size. */
const WRITE_BYTES = 512 * 1024;
/** The longest wait of a write for a read: a download goes on with 16 MB a second, whatever the reader does. */
const WAIT_MS = 32;

export interface GrowingFileSizes {
  /** The unit in which the space of what was read is used again. */
  readonly segmentBytes: number;
  /** Bytes that the writer may be ahead of the reader. Beyond, each write waits for a read. */
  readonly aheadBytes: number;
}

const SIZES: GrowingFileSizes = { segmentBytes: 4 * 1024 * 1024, aheadBytes: 8 * 1024 * 1024 };

/** The file was emptied to be written again, after some of it had been read. */
export class EmptiedError extends Error {
  override readonly name = 'EmptiedError';

  constructor() {
    super('the file was emptied while it was read');
  }
}

/**
 * A file that is read while it is written, by one reader and one writer. The reader waits for the writer. The disk is the buffer between them,
 * so that the writer goes on without the reader. After `forget`, the file holds only what is not read yet, and a writer who is far ahead
 * waits a little before each write.
 */
export class GrowingFile {
  /** Bytes that are not written yet, at the start of a buffer that is used again and again. */
  readonly #pending = Buffer.allocUnsafeSlow(WRITE_BYTES);
  #pendingBytes = 0;
  #size = 0;
  #position = 0;
  #readBegan = false;
  /** True when there may be bytes on disk, also those of a write that failed. */
  #writeBegan = false;
  #wasEmptied = false;
  #isComplete = false;
  #failure: { readonly cause: unknown } | null = null;
  #waiting: { readonly size: number; readonly wake: () => void } | null = null;
  #forgets = false;
  /** Ends the wait of a write. */
  #onRead: (() => void) | null = null;
  readonly #space: ReusedSpace;

  private constructor(
    private readonly file: FileHandle,
    private readonly sizes: GrowingFileSizes,
  ) {
    this.#space = new ReusedSpace(file, sizes.segmentBytes);
  }

  static async create(path: string, sizes = SIZES): Promise<GrowingFile> {
    return new GrowingFile(await open(path, 'w+'), sizes);
  }

  /** The bytes that were written whole. A failed write may have left more on disk, which the reader does not see. */
  get size(): number {
    return this.#size;
  }

  /** Takes further bytes. They are in the file when the reader waits for them, and after `flush` at the latest. */
  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + WRITE_BYTES - this.#pendingBytes);
      this.#pending.set(part, this.#pendingBytes);
      this.#pendingBytes += part.length;
      at += part.length;
      const isAwaited = this.#waiting !== null && this.#size + this.#pendingBytes >= this.#waiting.size;
      if (isAwaited || this.#pendingBytes === WRITE_BYTES) await this.flush();
    }
  }

  /** Writes what was appended. */
  async flush(): Promise<void> {
    const bytes = this.#pendingBytes;
    this.#pendingBytes = 0;
    if (bytes === 0) return;
    if (this.#isFarAhead()) await this.#nextRead();
    this.#writeBegan = true;
    await this.#space.write(this.#pending.subarray(0, bytes), this.#size);
    this.#size += bytes;
    if (this.#waiting !== null && this.#size >= this.#waiting.size) this.#wake();
  }

  /** Removes what a failed write may have left at the end, for those who read the file by its path. */
  async trim(): Promise<void> {
    // After `forget` the file on disk is shorter than `#size`, so this would extend it. The next write overwrites what is left.
    if (!this.#forgets) await this.file.truncate(this.#size);
  }

  /** Begins the file again. If some of it was read before, the reader gets `EmptiedError` from then on. */
  async empty(): Promise<void> {
    if (this.#readBegan) this.#wasEmptied = true;
    this.#size = 0;
    this.#wake();
    // An ext4 file that was emptied is written to the disk when it is closed: a tenth of a second for 100,000 products.
    if (this.#writeBegan) await this.#space.empty();
  }

  /** The writer has written everything. */
  complete(): void {
    this.#isComplete = true;
    this.#wake();
  }

  /** The writer gives up: the reader gets its error. */
  fail(cause: unknown): void {
    this.#failure = { cause };
    this.#wake();
  }

  /** Waits until everything is written. Throws the writer's error. */
  async completed(): Promise<void> {
    while (!this.#hasEnded()) await this.#grown(Infinity);
  }

  /**
   * Reads the next `length` bytes into `buffer`, as soon as all of them are written. There are fewer only at the end of the file.
   * Throws the writer's error, and `EmptiedError`.
   */
  async read(
    buffer: Buffer,
    offset: number,
    length: number,
  ): Promise<{ readonly bytesRead: number; readonly ended: boolean }> {
    const from = this.#position;
    while (!this.#hasEnded() && !this.#wasEmptied && this.#size < from + length)
      await this.#grown(from + length);
    this.#readBegan = true;
    const most = Math.max(0, Math.min(length, this.#size - from));
    const bytesRead = await this.#space.read(buffer, offset, most, from);
    // Also where it was emptied during the read, whose bytes are of both then.
    if (this.#wasEmptied) throw new EmptiedError();
    if (bytesRead === 0 && most > 0) throw new Error('the file has fewer bytes than were written');
    this.#position += bytesRead;
    if (this.#forgets) this.#space.giveUp(this.#position);
    this.#onRead?.();
    return { bytesRead, ended: this.#isComplete && this.#position === this.#size };
  }

  /** From now on, the file holds only what is not read yet. */
  forget(): void {
    this.#forgets = true;
    this.#space.giveUp(this.#position);
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  /**
   * Removes the file by `remove` and closes it. In this order the system frees the space of the file when it is closed. That takes its
   * time for a large file, and nothing waits for it. Where an open file cannot be removed, it is closed first.
   */
  async discard(remove: () => Promise<void>): Promise<void> {
    const removed = await remove().then(
      () => true,
      () => false,
    );
    const closed = this.close();
    if (removed) closed.catch(() => undefined);
    else await closed.then(remove);
  }

  #hasEnded(): boolean {
    if (this.#failure !== null) throw this.#failure.cause;
    return this.#isComplete;
  }

  /** Waits until the file has `size` bytes, or anything else has happened to it. */
  #grown(size: number): Promise<void> {
    return new Promise((wake) => {
      this.#waiting = { size, wake };
    });
  }

  #isFarAhead(): boolean {
    return this.#forgets && this.#size - this.#position > this.sizes.aheadBytes;
  }

  /**
   * Waits for the next read, so that bytes do not come in bursts, which leave more garbage than is collected meanwhile. But not for long:
   * the reader may wait for something that takes hours, and the sender of the file does not.
   */
  async #nextRead(): Promise<void> {
    const read = new Promise<void>((resolve) => {
      this.#onRead = resolve;
    });
    await within(WAIT_MS, read, () => undefined);
  }

  #wake(): void {
    this.#waiting?.wake();
    this.#waiting = null;
  }
}
