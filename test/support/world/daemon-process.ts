import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { KillPoint } from '../../../src/runtime/kill-point.js';
import { startChild, type Child } from '../child.js';
import { noteProcess } from '../run-directory.js';

const PROGRAM = fileURLToPath(new URL('daemon-main.ts', import.meta.url));

/** The daemon as a child process that a test kills, stops and pauses. */
export class DaemonProcess {
  #strike: (() => Promise<void>) | null = null;

  private constructor(private readonly child: Child) {}

  /** Loads everything and begins nothing. */
  static async load(configFile: string, env: Readonly<Record<string, string>> = {}): Promise<DaemonProcess> {
    const daemon = new DaemonProcess(startChild(PROGRAM, [configFile], { env: { ...process.env, ...env } }));
    daemon.#strike = await noteProcess(daemon.child.process.pid ?? 0, PROGRAM);
    await daemon.child.said('loaded');
    return daemon;
  }

  /** Begins, and resolves once it serves. */
  async start(): Promise<this> {
    this.child.send('start');
    await this.child.said('up');
    return this;
  }

  /** Begins without waiting for it to serve; `exit` has the result. */
  begin(): void {
    this.child.send('start');
  }

  /** From now on it dies when it comes by that point. */
  async dieAt(point: KillPoint): Promise<void> {
    this.child.send(`die ${point}`);
    await this.child.said(`armed ${point}`);
  }

  /** The next time that it comes by that point it stands still, until it is resumed. */
  async standStillAt(point: KillPoint): Promise<void> {
    this.child.send(`stop ${point}`);
    await this.child.said(`armed ${point}`);
  }

  /** Resolves when it has come by the point at which it was to die or to stand still. */
  async reached(point: KillPoint): Promise<void> {
    await this.child.said(`at ${point}`);
  }

  /** Resolves when it has ended; with its exit status, null when a signal ended it. */
  async exit(): Promise<number | null> {
    const status = await this.child.exit();
    await this.#strike?.();
    return status;
  }

  get pid(): number {
    return this.child.process.pid ?? 0;
  }

  get hasEnded(): boolean {
    const { exitCode, signalCode } = this.child.process;
    return exitCode !== null || signalCode !== null;
  }

  async kill(): Promise<void> {
    this.child.process.kill('SIGKILL');
    await this.exit();
  }

  /** SIGTERM; resolves with how long it took to end, in milliseconds. Fails when it did not end with 0. */
  async terminate(): Promise<number> {
    const began = performance.now();
    this.child.process.kill('SIGTERM');
    const status = await this.exit();
    if (status !== 0) throw new Error(`the daemon ended with ${String(status)} after SIGTERM`);
    return performance.now() - began;
  }

  /** SIGSTOP: it holds its connections and leases, and does nothing. */
  pause(): void {
    this.child.process.kill('SIGSTOP');
  }

  resume(): void {
    this.child.process.kill('SIGCONT');
  }

  async said(prefix: string): Promise<string> {
    return await this.child.said(prefix);
  }

  /** Ends it in whatever way, as a test's clean-up. */
  async discard(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child.process, 'close');
    this.child.process.kill('SIGCONT');
    this.child.process.kill('SIGKILL');
    await ended;
    await this.#strike?.();
  }
}
