import type { FileHandle } from 'node:fs/promises';

/**
 * The bytes of a file, which lie on disk in segments. Bytes that were given up leave their segment to later ones, so that the disk holds
 * no more than the bytes between them and the end. Until some are given up, each byte lies where it is in the file.
 */
export class ReusedSpace {
  /** Where each segment lies on disk, counted in segments. The first of them is segment `#givenUp` of the file. */
  #places: number[] = [];
  #free: number[] = [];
  #givenUp = 0;

  constructor(
    private readonly file: FileHandle,
    private readonly segmentBytes: number,
  ) {}

  /** Writes all bytes, from the byte `at` of the file. */
  async write(bytes: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const index = this.#indexOf(at + done);
      while (this.#places.length <= index) this.#places.push(this.#free.pop() ?? this.#places.length);
      const most = Math.min(bytes.length - done, this.#room(at + done));
      done += (await this.file.write(bytes, done, most, this.#onDisk(at + done))).bytesWritten;
    }
  }

  /** Reads `length` bytes, from the byte `at` of the file. Returns how many there were. */
  async read(buffer: Buffer, offset: number, length: number, at: number): Promise<number> {
    let done = 0;
    while (done < length && this.#indexOf(at + done) < this.#places.length) {
      const most = Math.min(length - done, this.#room(at + done));
      const { bytesRead } = await this.file.read(buffer, offset + done, most, this.#onDisk(at + done));
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return done;
  }

  /** Gives up the bytes before the byte `at`. */
  giveUp(at: number): void {
    const places = this.#places.splice(0, Math.max(0, this.#indexOf(at)));
    this.#givenUp += places.length;
    this.#free.push(...places);
  }

  /** Removes all bytes. */
  async empty(): Promise<void> {
    this.#places = [];
    this.#free = [];
    this.#givenUp = 0;
    await this.file.truncate(0);
  }

  #indexOf(at: number): number {
    return Math.floor(at / this.segmentBytes) - this.#givenUp;
  }

  /** Bytes from the byte `at` to the end of its segment. */
  #room(at: number): number {
    return this.segmentBytes - (at % this.segmentBytes);
  }

  /** Where the byte `at` lies. */
  #onDisk(at: number): number {
    return (this.#places[this.#indexOf(at)] ?? 0) * this.segmentBytes + (at % this.segmentBytes);
  }
}
