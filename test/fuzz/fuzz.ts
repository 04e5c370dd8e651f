import { readFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../support/e2e-program.js';
import { World } from '../support/e2e-world.js';
import { Chance } from './chance.js';
import { PURE } from './pure.js';
import { REQUESTS, STORE_SECRET, type FuzzRequest } from './requests.js';

export interface FuzzOptions {
  readonly seed: number;
  /** How long inputs are tried. */
  readonly seconds: number;
  /** How long the memory may take to come back. */
  readonly restSeconds: number;
  readonly log: (line: string) => void;
}

export interface FuzzReport {
  /** Inputs tried, by kind. */
  readonly tried: Readonly<Record<string, number>>;
  /** Answers by kind and status. */
  readonly answers: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  readonly slowestRequest: string;
  /** The slowest answer of a bare server in the same time: what the machine itself took. */
  readonly floorMs: number;
  /** Resident memory of the daemon in MB: after the first inputs, at the end, and after a rest. */
  readonly memory: { readonly before: number; readonly end: number; readonly rested: number };
  /** Things that must not happen and did: crashes, answers of 5xx or too late, memory that stays. */
  readonly broken: readonly string[];
}

const LONGEST_ANSWER_MS = 1000;
/** Memory that a process takes once for its own machinery (compiled code, pools) whatever it is sent. */
const MEMORY_ALLOWANCE_MB = 48;
const AT_ONCE = 4;
const WARM_UP_SHARE = 0.25;

/** Sends odd requests to a running daemon, and odd texts through the functions that read them. The same seed, the same inputs. */
export async function runFuzz({ seed, seconds, restSeconds, log }: FuzzOptions): Promise<FuzzReport> {
  const world = await World.open({
    settings: { stores: { main: { webhookSecret: STORE_SECRET, writeBack: { mode: 'review' } } } },
  });
  const floor = await bareServer();
  try {
    const program = await world.start();
    return await new Fuzz(world, program, floor.url, seed, log).run(seconds, restSeconds);
  } finally {
    await floor.close();
    await world.end();
  }
}

class Fuzz {
  private readonly tried: Record<string, number> = {};
  private readonly answers: Record<string, number> = {};
  private readonly broken: string[] = [];
  private slowestMs = 0;
  private slowestRequest = '';
  private floorMs = 0;
  private number = 0;

  constructor(
    private readonly world: World,
    private readonly program: Program,
    private readonly floorUrl: string,
    private readonly seed: number,
    private readonly log: (line: string) => void,
  ) {}

  async run(seconds: number, restSeconds: number): Promise<FuzzReport> {
    this.tryPure(Math.ceil(seconds * 20));
    await this.send(seconds * WARM_UP_SHARE);
    const before = await this.memory();
    this.log(`warmed up: ${String(before)} MB`);
    await this.send(seconds * (1 - WARM_UP_SHARE));
    const end = await this.memory();
    const rested = await this.rested(before * 1.2 + MEMORY_ALLOWANCE_MB, restSeconds);
    const allowed = Math.max(LONGEST_ANSWER_MS, 10 * this.floorMs);
    if (this.slowestMs > allowed)
      this.broken.push(`an answer took ${this.slowestMs.toFixed(0)} ms: ${this.slowestRequest}`);
    if (rested > before * 1.2 + MEMORY_ALLOWANCE_MB) this.broken.push(`memory stays at ${String(rested)} MB`);
    const ready = await this.answer({ method: 'GET', path: '/health/ready', headers: {} });
    if (ready !== 200) this.broken.push(`the daemon is not ready at the end: ${String(ready)}`);
    if (this.program.ended) this.broken.push('the daemon ended');
    const longest = Math.max(0, ...this.program.lines.map((line) => line.length));
    if (longest > 3 * 8192) this.broken.push(`a log line has ${String(longest)} characters`);
    return {
      ...{ tried: this.tried, answers: this.answers, broken: this.broken },
      ...{ slowestMs: this.slowestMs, slowestRequest: this.slowestRequest, floorMs: this.floorMs },
      memory: { before, end, rested },
    };
  }

  private tryPure(each: number): void {
    for (const [kind, attempt] of Object.entries(PURE)) {
      const chance = new Chance(this.seed);
      for (let number = 0; number < each; number++) {
        this.tried[kind] = (this.tried[kind] ?? 0) + 1;
        try {
          attempt(chance, number);
        } catch (error) {
          this.broken.push(
            `${kind} ${String(number)}: ${error instanceof Error ? error.message : String(error)}`,
          );
        }
      }
    }
  }

  /** Several senders at once, and beside them one that measures the machine. */
  private async send(seconds: number): Promise<void> {
    const until = performance.now() + seconds * 1000;
    const measuring = this.measureFloor(until);
    const senders = Array.from({ length: AT_ONCE }, (_, sender) =>
      this.sender(this.seed + sender + this.number, until),
    );
    await Promise.all([measuring, ...senders]);
  }

  private async sender(seed: number, until: number): Promise<void> {
    const chance = new Chance(seed);
    while (performance.now() < until && !this.program.ended) {
      const kind = chance.of(Object.keys(REQUESTS));
      this.number += 1;
      const request = REQUESTS[kind]?.(this.world, chance, this.number);
      if (request === undefined) continue;
      this.tried[kind] = (this.tried[kind] ?? 0) + 1;
      const began = performance.now();
      const status = await this.answer(request);
      const took = performance.now() - began;
      const name = `${kind} ${String(status)}`;
      this.answers[name] = (this.answers[name] ?? 0) + 1;
      if (took > this.slowestMs) [this.slowestMs, this.slowestRequest] = [took, describe(request)];
      const budgeted = status === 503 && request.path.startsWith('/webhooks/');
      if (status >= 500 && !budgeted) this.broken.push(`${String(status)}: ${describe(request)}`);
    }
  }

  /** The status of the answer; 0 where the connection ended without one. */
  private answer({ method, path, headers, body }: FuzzRequest): Promise<number> {
    return statusOf(this.world.url, method, path, headers, body);
  }

  private async measureFloor(until: number): Promise<void> {
    while (performance.now() < until) {
      const began = performance.now();
      await statusOf(this.floorUrl, 'GET', '/', {});
      this.floorMs = Math.max(this.floorMs, performance.now() - began);
      await sleep(20);
    }
  }

  private async memory(): Promise<number> {
    const status = await readFile(`/proc/${String(this.program.process.pid)}/status`, 'utf8').catch(() => '');
    return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
  }

  /** The memory once it has come down to what is wanted, or at the end of the rest. */
  private async rested(wanted: number, seconds: number): Promise<number> {
    const until = performance.now() + seconds * 1000;
    let memory = await this.memory();
    while (memory > wanted && performance.now() < until) {
      await sleep(1000);
      memory = await this.memory();
    }
    return memory;
  }
}

function describe({ method, path, body }: FuzzRequest): string {
  return `${method} ${path.slice(0, 300)} ${body?.toString('utf8').slice(0, 300) ?? ''}`;
}

/** `path` goes out as it stands, however malformed. */
function statusOf(
  base: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: Buffer,
): Promise<number> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve) => {
    const request = httpRequest({ hostname, port, method, path, headers, timeout: 60_000 }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(0));
    request.end(body);
  });
}

async function bareServer(): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((_request, response) => response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
