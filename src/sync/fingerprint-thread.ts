import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { OnApplicationShutdown } from '@nestjs/common';
import { errorLine } from '../domain/errors.js';
import type { UnparsedProduct } from '../domain/store-port.js';
import type { WrittenContent } from '../domain/written-content.js';
import type { Logger } from '../runtime/logger.js';
import { within } from '../runtime/time-limit.js';
import type {
  FingerprintOrder,
  FingerprintReply,
  FingerprintSettings,
  ThreadMemory,
} from './fingerprint-order.js';

/** Products that go to the thread together have so many bytes at most, so that no other product can go there. */
export const SLOT_BYTES = 256 * 1024;
/** One is worked on, and one waits for the thread. */
const SLOTS = 2;
const HEAP_MB = 64;
/** A share takes less than a millisecond. */
const LONGEST_MS = 10_000;

export interface ProductToFingerprint {
  readonly storeId: string;
  readonly unparsed: UnparsedProduct;
  /** Content that earlier runs wrote to the product. */
  readonly written: WrittenContent | null;
}

/** Products of one read that go to the thread together, with at most `SLOT_BYTES` bytes. */
export class FingerprintShare {
  readonly #answered = Promise.withResolvers<readonly (string | null)[]>();

  constructor(
    readonly settings: FingerprintSettings,
    readonly products: readonly [ProductToFingerprint, ...ProductToFingerprint[]],
  ) {}

  get answered(): Promise<readonly (string | null)[]> {
    return this.#answered.promise;
  }

  answer(fingerprints: readonly (string | null)[]): void {
    this.#answered.resolve(fingerprints);
  }

  giveUp(): void {
    this.answer(this.products.map(() => null));
  }
}

interface Slot {
  readonly memory: Uint8Array;
  share: FingerprintShare | null;
}

/** The file that the thread runs, and options of Node for it. */
export interface ThreadProgram {
  readonly file: URL;
  readonly execArgv: readonly string[];
}

/** Where the sources run as they are there is none. */
const PROGRAMS: readonly ThreadProgram[] = ['fingerprint-worker.js'].map((file) => ({
  file: new URL(file, import.meta.url),
  execArgv: [],
}));

/**
 * A second thread, which parses products and computes their fingerprints while the main one does everything else. It exists while a run
 * uses it, and knows nothing but the products. It can only save time: where it cannot be started, fails or does not reply, the main
 * thread does its work.
 */
export class FingerprintThread implements OnApplicationShutdown {
  readonly #log: Logger;
  #worker: Worker | null = null;
  #slots: Slot[] = [];
  readonly #waiting: FingerprintShare[] = [];
  #users = 0;
  #isReady = false;

  constructor(
    logger: Logger,
    private readonly programs: readonly ThreadProgram[] = PROGRAMS,
    private readonly limitMs = LONGEST_MS,
    private readonly processors = availableParallelism(),
  ) {
    this.#log = logger.child({ stage: 'sync' });
  }

  /** False until the thread has started, and when there is none. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Starts the thread unless another run has. On a single processor there is none. */
  enter(): void {
    this.#users += 1;
    if (this.#worker !== null || this.processors < 2) return;
    const program = this.programs.find(({ file }) => existsSync(fileURLToPath(file)));
    if (program === undefined) return;
    try {
      this.#start(program);
    } catch (error) {
      this.#fail(errorLine(error));
    }
  }

  /** Ends the thread with the last run that used it. */
  async leave(): Promise<void> {
    this.#users -= 1;
    if (this.#users === 0) await this.#end();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#end();
  }

  /** The share is answered when its turn comes, unless it is taken back. */
  add(share: FingerprintShare): void {
    this.#waiting.push(share);
    this.#send();
  }

  /** False when the thread has the share already. */
  takeBack(share: FingerprintShare): boolean {
    const at = this.#waiting.indexOf(share);
    if (at === -1) return false;
    this.#waiting.splice(at, 1);
    return true;
  }

  /** The fingerprints of a share that was not taken back; null for each product that the main thread has to parse. */
  answer(share: FingerprintShare): Promise<readonly (string | null)[]> {
    return within(this.limitMs, share.answered, () => {
      if (this.#worker !== null) this.#fail(`no answer within ${String(this.limitMs)} ms`);
      return share.answered;
    });
  }

  #start({ file, execArgv }: ThreadProgram): void {
    const shared = Array.from({ length: SLOTS }, () => new SharedArrayBuffer(SLOT_BYTES));
    const worker = new Worker(file, {
      workerData: { slots: shared } satisfies ThreadMemory,
      execArgv: [...execArgv],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    const isCurrent = (): boolean => this.#worker === worker;
    worker.unref();
    worker.on('message', (reply: FingerprintReply) => {
      if (isCurrent()) this.#receive(reply);
    });
    worker.on('error', (error) => {
      if (isCurrent()) this.#fail(errorLine(error));
    });
    worker.on('exit', () => {
      if (isCurrent()) this.#fail('it ended');
    });
    this.#worker = worker;
    this.#slots = shared.map((memory) => ({ memory: new Uint8Array(memory), share: null }));
  }

  #receive({ slot, fingerprints }: FingerprintReply): void {
    if (slot === null) {
      this.#isReady = true;
    } else {
      const replied = this.#slots[slot];
      replied?.share?.answer(fingerprints);
      if (replied !== undefined) replied.share = null;
    }
    this.#send();
  }

  #send(): void {
    if (!this.#isReady) return;
    for (const [slot, free] of this.#slots.entries()) {
      if (free.share !== null) continue;
      const share = this.#waiting.shift();
      if (share === undefined) return;
      free.share = share;
      this.#worker?.postMessage(orderOf(share, slot, free.memory));
    }
  }

  #fail(reason: string): void {
    this.#log.warn({ reason }, 'the thread for fingerprints failed: the main thread does its work');
    void this.#end();
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    this.#worker = null;
    this.#isReady = false;
    for (const { share } of this.#slots) share?.giveUp();
    for (const share of this.#waiting.splice(0)) share.giveUp();
    this.#slots = [];
    await worker.terminate();
  }
}

/** Fills the slot. */
function orderOf(
  { settings, products }: FingerprintShare,
  slot: number,
  memory: Uint8Array,
): FingerprintOrder {
  const ends: number[] = [];
  let end = 0;
  for (const { unparsed } of products) {
    memory.set(unparsed.bytes, end);
    end += unparsed.bytes.length;
    ends.push(end);
  }
  const { format, scope } = products[0].unparsed;
  return {
    ...settings,
    slot,
    format,
    scope,
    ends,
    storeIds: products.map(({ storeId }) => storeId),
    written: products.map(({ written }) => written),
  };
}
