import { createServer, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { close, listen } from '../../src/sandbox/shop-server.js';
import { drawn } from '../support/drawn.js';
import { Program } from '../support/e2e-program.js';
import { World } from '../support/e2e-world.js';
import { MEMORY_LIMIT_MB, MemoryProbe, type Memory } from '../support/memory-probe.js';
import { tryAnswers } from './answers.js';
import { pipelines, sendPipelined, type Pipelines } from './pipelined.js';
import { PURE } from './pure.js';
import { STORE_SECRET, drafts, type Draft, type FuzzRequest } from './requests.js';

export interface FuzzOptions {
  readonly seed: number;
  /** How long inputs are tried. */
  readonly seconds: number;
  /** How long the memory may take to come back. */
  readonly restSeconds: number;
  readonly log: (line: string) => void;
}

const LONGEST_ANSWER_MS = 1000;
const SLOW_REPEATS = 3;
/** The memory in use after the rest, as a multiple of that at the start. */
const MOST_KEPT = 1.2;
const AT_ONCE = 4;
/** The time for hostile answers, as a share of that for inputs. */
const ANSWERS_SHARE = 0.5;
const WARM_UP_SHARE = 0.25;
/** Between them the others have the daemon to themselves. */
const PIPELINED_EVERY_MS = 1000;
const BARE: FuzzRequest = { kind: 'bare', method: 'GET', path: '/', headers: {} };

/**
 * Sends odd requests to a running daemon, and odd texts through the functions that read them. The same seed tries the same inputs.
 * Resolves with false after a crash, an answer of 5xx or too late, memory that stays, or a function that failed.
 */
export async function runFuzz({ seed, seconds, restSeconds, log }: FuzzOptions): Promise<boolean> {
  const world = await World.open({
    settings: { stores: { main: { webhookSecret: STORE_SECRET, writeBack: { mode: 'review' } } } },
  });
  const floor = createServer((request, response) => {
    request.resume().on('end', () => response.end('ok'));
  });
  const floorUrl = await listen(floor, 0);
  const probe = new MemoryProbe(world.directory);
  const program = await Program.start(['start'], {
    cwd: world.directory,
    env: { ...world.env, ...probe.env },
  });
  try {
    await program.line((line) => line.includes('store-sync is up'));
    return await new Fuzz(world, program, probe, floorUrl, seed, log).run(seconds, restSeconds);
  } finally {
    // An orderly stop would wait for the work that the odd requests began.
    await program.kill();
    await close(floor);
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
  private readonly drafts: Iterator<Draft, never>;
  private readonly pipelines: Iterator<Pipelines, never>;

  constructor(
    private readonly world: World,
    private readonly program: Program,
    private readonly probe: MemoryProbe,
    private readonly floorUrl: string,
    private readonly seed: number,
    private readonly log: (line: string) => void,
  ) {
    this.drafts = drawn(drafts(world), seed);
    this.pipelines = drawn(pipelines, seed);
  }

  async run(seconds: number, restSeconds: number): Promise<boolean> {
    this.tryPure(Math.ceil(seconds * 20));
    const hostile = await tryAnswers(seconds * ANSWERS_SHARE, this.seed, this.log);
    this.tried['hostile answers'] = hostile.count;
    this.broken.push(...hostile.broken);
    await this.send(seconds * WARM_UP_SHARE);
    const before = await this.memory();
    this.log(`warmed up: ${String(before.resident)} MB`);
    await this.send(seconds * (1 - WARM_UP_SHARE));
    const end = await this.memory();
    const rested = await this.rested(before, restSeconds);
    if (!isBack(rested, before))
      this.broken.push(`memory stays at ${shown(rested)}, after ${shown(before)} at the start`);
    const ready = await statusOf(this.world.url, { ...BARE, path: '/health/ready' });
    if (ready !== 200) this.broken.push(`the daemon is not ready at the end: ${String(ready)}`);
    if (this.program.ended) this.broken.push('the daemon ended');
    const longest = Math.max(0, ...this.program.lines.map((line) => line.length));
    if (longest > 3 * 8192) this.broken.push(`a log line has ${String(longest)} characters`);
    this.report({ before, end, rested });
    return this.broken.length === 0;
  }

  private report(memory: Readonly<Record<string, Memory>>): void {
    const sum = (counts: Readonly<Record<string, number>>): number =>
      Object.values(counts).reduce((total, count) => total + count, 0);
    this.log(`seed ${String(this.seed)}`);
    for (const [kind, count] of Object.entries(this.tried)) this.log(`tried: ${kind}: ${String(count)}`);
    for (const [kind, count] of Object.entries(this.answers).sort())
      this.log(`answers: ${kind}: ${String(count)}`);
    this.log(`slowest answer: ${this.slowest.ms.toFixed(0)} ms (${this.slowest.request.slice(0, 120)})`);
    this.log(`slowest answer of a bare server beside it: ${this.floorMs.toFixed(0)} ms`);
    this.log(`inputs: ${String(sum(this.tried))}, answers: ${String(sum(this.answers))}`);
    for (const [when, { resident, inUse }] of Object.entries(memory))
      this.log(
        `memory, garbage collected, ${when}: ${String(resident)} MB resident, ${String(inUse)} MB in use`,
      );
    for (const line of this.broken.slice(0, 30)) this.log(`broken: ${line}`);
  }

  private tryPure(numRuns: number): void {
    for (const [kind, property] of Object.entries(PURE)) {
      const details = fc.check(property, { seed: this.seed, numRuns, includeErrorInReport: true });
      this.tried[kind] = details.numRuns;
      if (details.failed) this.broken.push(`${kind}: ${fc.defaultReportMessage(details)}`);
    }
  }

  /** Several senders at once, beside them one that reads no answers, and one that measures the machine. */
  private async send(seconds: number): Promise<void> {
    const until = performance.now() + seconds * 1000;
    const senders = Array.from({ length: AT_ONCE }, () => this.sender(until));
    await Promise.all([this.measureFloor(until), this.sendPipelined(until), ...senders]);
  }

  private async sender(until: number): Promise<void> {
    while (performance.now() < until && !this.program.ended) {
      const draft = this.drafts.next().value;
      const request = draft((this.number += 1));
      const { status, ms } = await this.timed(request);
      if (ms > this.slowest.ms) this.slowest = { ms, request: describe(request) };
      if (ms > LONGEST_ANSWER_MS) await this.repeatSlow(draft, request);
      const budgeted = status === 503 && request.path.startsWith('/webhooks/');
      if (status >= 500 && !budgeted) this.broken.push(`${String(status)}: ${describe(request)}`);
      if (status === 0) this.broken.push(`no answer: ${describe(request)}`);
    }
  }

  private async sendPipelined(until: number): Promise<void> {
    while (performance.now() < until && !this.program.ended) {
      const sent = await sendPipelined(this.world.port, this.pipelines.next().value);
      this.tried['pipelined'] = (this.tried['pipelined'] ?? 0) + sent;
      await sleep(PIPELINED_EVERY_MS);
    }
  }

  private async timed(request: FuzzRequest): Promise<{ status: number; ms: number }> {
    const { kind } = request;
    this.tried[kind] = (this.tried[kind] ?? 0) + 1;
    const began = performance.now();
    const status = await statusOf(this.world.url, request);
    const ms = performance.now() - began;
    const name = `${kind} ${String(status)}`;
    this.answers[name] = (this.answers[name] ?? 0) + 1;
    return { status, ms };
  }

  /** A busy machine delays any answer once. An input that is slow each time is a fault of the daemon. */
  private async repeatSlow(draft: Draft, slow: FuzzRequest): Promise<void> {
    for (let attempt = 0; attempt < SLOW_REPEATS; attempt += 1) {
      const began = performance.now();
      await statusOf(this.floorUrl, slow);
      const bareMs = performance.now() - began;
      if ((await this.timed(draft((this.number += 1)))).ms <= LONGEST_ANSWER_MS + bareMs) return;
    }
    this.broken.push(`the answer takes over a second each time: ${describe(slow)}`);
  }

  private async measureFloor(until: number): Promise<void> {
    while (performance.now() < until) {
      const began = performance.now();
      await statusOf(this.floorUrl, BARE);
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
  return now.resident <= MEMORY_LIMIT_MB && now.inUse <= start.inUse * MOST_KEPT;
}

function shown({ resident, inUse }: Memory): string {
  return `${String(resident)} MB (${String(inUse)} MB in use)`;
}

function describe({ method, path, body }: FuzzRequest): string {
  return `${method} ${path.slice(0, 300)} (${String(body?.length ?? 0)} bytes) ${body?.toString('utf8').slice(0, 300) ?? ''}`;
}

/** The status of the answer; 0 where the connection ended without one. The path goes out as it stands, however malformed. */
function statusOf(base: string, { method, path, headers, body }: FuzzRequest): Promise<number> {
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
