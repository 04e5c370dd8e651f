import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Program } from '../support/e2e-program.js';
import { World } from '../support/e2e-world.js';
import { MemoryProbe, type Memory } from '../support/memory-probe.js';
import { tryAnswers } from './answers.js';
import { Chance } from './chance.js';
import { pipelinedRequests } from './pipelined.js';
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
  /** Memory of the daemon without garbage: after the first inputs, at the end, and after a rest. */
  readonly memory: { readonly before: Memory; readonly end: Memory; readonly rested: Memory };
  /** Things that must not happen and did: crashes, answers of 5xx or too late, memory that stays. */
  readonly broken: readonly string[];
}

const LONGEST_ANSWER_MS = 1000;
const SLOW_REPEATS = 3;
/** The memory after the rest, as a multiple of that at the start. */
const MOST_KEPT = 1.2;
const AT_ONCE = 4;
/** The time for hostile answers, as a share of that for inputs. */
const ANSWERS_SHARE = 0.5;
const WARM_UP_SHARE = 0.25;
/** Between them the others have the daemon to themselves. */
const PIPELINED_EVERY_MS = 1000;

/** Sends odd requests to a running daemon, and odd texts through the functions that read them. The same seed, the same inputs. */
export async function runFuzz({ seed, seconds, restSeconds, log }: FuzzOptions): Promise<FuzzReport> {
  const world = await World.open({
    settings: { stores: { main: { webhookSecret: STORE_SECRET, writeBack: { mode: 'review' } } } },
  });
  const floor = await bareServer();
  const probe = new MemoryProbe(world.directory);
  const program = await Program.start(['start'], {
    cwd: world.directory,
    env: { ...world.env, ...probe.env },
  });
  try {
    await program.said((line) => line.includes('store-sync is up'));
    return await new Fuzz(world, program, probe, floor.url, seed, log).run(seconds, restSeconds);
  } finally {
    // An orderly stop would wait for the work that the odd requests began.
    await program.kill();
    await floor.close();
    await world.end();
  }
}

class Fuzz {
  private readonly tried: Record<string, number> = {};
  private readonly answers: Record<string, number> = {};
  private readonly broken: string[] = [];
  private slowest = { ms: 0, request: '' };
  private floorMs = 0;
  private number = 0;

  constructor(
    private readonly world: World,
    private readonly program: Program,
    private readonly probe: MemoryProbe,
    private readonly floorUrl: string,
    private readonly seed: number,
    private readonly log: (line: string) => void,
  ) {}

  async run(seconds: number, restSeconds: number): Promise<FuzzReport> {
    this.tryPure(Math.ceil(seconds * 20));
    const hostile = await tryAnswers(seconds * ANSWERS_SHARE, new Chance(this.seed));
    this.tried['hostile answers'] = hostile.count;
    this.broken.push(...hostile.broken);
    this.log(`hostile answers: at most ${String(hostile.peakMb)} MB, ${hostile.slowestMs.toFixed(0)} ms`);
    await this.send(seconds * WARM_UP_SHARE);
    const before = await this.memory();
    this.log(`warmed up: ${String(before.resident)} MB`);
    await this.send(seconds * (1 - WARM_UP_SHARE));
    const end = await this.memory();
    const rested = await this.rested(before, restSeconds);
    if (!isBack(rested, before))
      this.broken.push(`memory stays at ${shown(rested)}, after ${shown(before)} at the start`);
    const ready = await this.answer({ method: 'GET', path: '/health/ready', headers: {} });
    if (ready !== 200) this.broken.push(`the daemon is not ready at the end: ${String(ready)}`);
    if (this.program.ended) this.broken.push('the daemon ended');
    const longest = Math.max(0, ...this.program.lines.map((line) => line.length));
    if (longest > 3 * 8192) this.broken.push(`a log line has ${String(longest)} characters`);
    return {
      ...{ tried: this.tried, answers: this.answers, broken: this.broken },
      ...{ slowestMs: this.slowest.ms, slowestRequest: this.slowest.request, floorMs: this.floorMs },
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

  /** Several senders at once, beside them one that reads no answers, and one that measures the machine. */
  private async send(seconds: number): Promise<void> {
    const until = performance.now() + seconds * 1000;
    const measuring = Promise.all([this.measureFloor(until), this.sendPipelined(until)]);
    const senders = Array.from({ length: AT_ONCE }, (_, sender) =>
      this.sender(this.seed + sender + this.number, until),
    );
    await Promise.all([measuring, ...senders]);
  }

  private async sender(seed: number, until: number): Promise<void> {
    const chance = new Chance(seed);
    while (performance.now() < until && !this.program.ended) {
      const kind = chance.of(Object.keys(REQUESTS));
      const again = chance.copy();
      const request = this.request(kind, chance);
      if (request === undefined) continue;
      const { status, ms } = await this.timed(kind, request);
      if (ms > this.slowest.ms) this.slowest = { ms, request: describe(request) };
      if (ms > LONGEST_ANSWER_MS) await this.repeatSlow(kind, again, request);
      const budgeted = status === 503 && request.path.startsWith('/webhooks/');
      if (status >= 500 && !budgeted) this.broken.push(`${String(status)}: ${describe(request)}`);
      if (status === 0) this.broken.push(`no answer: ${describe(request)}`);
    }
  }

  private async sendPipelined(until: number): Promise<void> {
    const chance = new Chance(this.seed + this.number);
    while (performance.now() < until && !this.program.ended) {
      const sent = await pipelinedRequests(this.world.port, chance);
      this.tried['pipelined'] = (this.tried['pipelined'] ?? 0) + sent;
      await sleep(PIPELINED_EVERY_MS);
    }
  }

  private request(kind: string, chance: Chance): FuzzRequest | undefined {
    this.number += 1;
    return REQUESTS[kind]?.(this.world, chance, this.number);
  }

  private async timed(kind: string, request: FuzzRequest): Promise<{ status: number; ms: number }> {
    this.tried[kind] = (this.tried[kind] ?? 0) + 1;
    const began = performance.now();
    const status = await this.answer(request);
    const ms = performance.now() - began;
    const name = `${kind} ${String(status)}`;
    this.answers[name] = (this.answers[name] ?? 0) + 1;
    return { status, ms };
  }

  /** Milliseconds that a server takes which reads the request and does nothing: the machine's share. */
  private async bareTime({ method, path, headers, body }: FuzzRequest): Promise<number> {
    const began = performance.now();
    await statusOf(this.floorUrl, method, path, headers, body);
    return performance.now() - began;
  }

  /** A busy machine delays any answer once. An input that is slow each time is a fault of the daemon. */
  private async repeatSlow(kind: string, chance: Chance, slow: FuzzRequest): Promise<void> {
    for (let attempt = 0; attempt < SLOW_REPEATS; attempt += 1) {
      const request = this.request(kind, chance.copy());
      if (request === undefined) return;
      const bare = await this.bareTime(request);
      if ((await this.timed(kind, request)).ms <= LONGEST_ANSWER_MS + bare) return;
    }
    this.broken.push(`the answer takes over a second each time: ${describe(slow)}`);
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

  private memory(): Promise<Memory> {
    return this.probe.measure(this.program.process.pid ?? 0);
  }

  /** The memory once it has come down far enough, or at the end of the rest. */
  private async rested(start: Memory, seconds: number): Promise<Memory> {
    const until = performance.now() + seconds * 1000;
    let memory = await this.memory();
    while (!isBack(memory, start) && performance.now() < until) {
      await sleep(1000);
      memory = await this.memory();
    }
    return memory;
  }
}

function isBack(now: Memory, start: Memory): boolean {
  return now.resident <= start.resident * MOST_KEPT && now.inUse <= start.inUse * MOST_KEPT;
}

function shown({ resident, inUse }: Memory): string {
  return `${String(resident)} MB (${String(inUse)} MB in use)`;
}

function describe({ method, path, body }: FuzzRequest): string {
  return `${method} ${path.slice(0, 300)} (${String(body?.length ?? 0)} bytes) ${body?.toString('utf8').slice(0, 300) ?? ''}`;
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
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('ok'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
