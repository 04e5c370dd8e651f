import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { until } from './until.js';

const PRELOAD = fileURLToPath(new URL('collect-on-signal.mjs', import.meta.url));
const MB = 1024 * 1024;

const written = z.object({
  count: z.number(),
  rss: z.number(),
  heapUsed: z.number(),
  external: z.number(),
  handles: z.record(z.string(), z.number()),
});

/** The limit of the container. The allocator may keep freed memory for the next load, so resident memory is only held to this. */
export const MEMORY_LIMIT_MB = 512;

/** Memory of a process after a collection, in whole megabytes. */
export interface Memory {
  /** Resident: what a container's limit counts. */
  readonly resident: number;
  /** Objects in use, and buffers outside of the heap. */
  readonly inUse: number;
  /** Open handles, such as timers and sockets, by kind. */
  readonly handles: Readonly<Record<string, number>>;
}

/** Measures a daemon's memory without garbage. The daemon runs with `env`. */
export class MemoryProbe {
  readonly #file: string;
  #count = 0;

  /** `directory`: where the daemon may write. */
  constructor(directory: string) {
    this.#file = join(directory, 'memory.json');
  }

  /** The preload that collects garbage. */
  get env(): Readonly<Record<'NODE_OPTIONS' | 'STORE_SYNC_TEST_MEMORY', string>> {
    return { NODE_OPTIONS: `--import=${PRELOAD}`, STORE_SYNC_TEST_MEMORY: this.#file };
  }

  /** Collects the garbage of the process and measures what remains. Rejects when it does not answer in time. */
  async measure(pid: number): Promise<Memory> {
    process.kill(pid, 'SIGUSR2');
    this.#count += 1;
    const { heapUsed, external, rss, handles } = await until('the measurement of the memory', async () => {
      const text = await readFile(this.#file, 'utf8').catch(() => '');
      const parsed = written.safeParse(text.endsWith('}') ? JSON.parse(text) : null);
      return parsed.success && parsed.data.count === this.#count ? parsed.data : null;
    });
    return { resident: Math.round(rss / MB), inUse: Math.round((heapUsed + external) / MB), handles };
  }
}
