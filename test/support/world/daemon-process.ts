import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { KillPoint } from '../../../src/runtime/kill-point.js';
import { startChild, type Child } from '../child.js';
import { noteProcess } from '../run-directory.js';

const PROGRAM = fileURLToPath(new URL('daemon-main.ts', import.meta.url));

/** The daemon as a child process that a test kills, stops and pauses. */
export class DaemonProcess {
  #forget: (() => Promise<void>) | null = null;

  private constructor(private readonly child: Child) {}

  /** Loads the code of the daemon and starts nothing. */
  static async load(configFile: string, env: Readonly<Record<string, string>> = {}): Promise<DaemonProcess> {
    const daemon = new DaemonProcess(startChild(PROGRAM, [configFile], { env: { ...process.env, ...env } }));
    daemon.#forget = await noteProcess(daemon.child.process.pid ?? 0, PROGRAM);
    await daemon.child.said('loaded');
    return daemon;
  }

  /** Starts the daemon, and resolves when it serves. */
  async start(): Promise<this> {
    this.child.send('start');
    await this.child.said('up');
    return this;
  }

  /** Starts the daemon without waiting; `exit` has the result. */
  begin(): void {
    this.child.send('start');
  }

  /** Ends the daemon by SIGKILL when it next reaches that point. */
  async dieAt(point: KillPoint): Promise<void> {
    this.child.send(`die ${point}`);
    await this.child.said(`armed ${point}`);
  }

  /** Pauses the daemon when it next reaches that point, until it is resumed. */
  async pauseAt(point: KillPoint): Promise<void> {
    this.child.send(`stop ${point}`);
    await this.child.said(`armed ${point}`);
  }

  /** Resolves when the daemon has reached the point at which it should die or pause. */
  async reached(point: KillPoint): Promise<void> {
    await this.child.said(`at ${point}`);
  }

  /** Resolves with the exit status when the daemon has ended; null when a signal ended it. */
  async exit(): Promise<number | null> {
    const status = await this.child.exit();
    await this.#forget?.();
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
    if (status !== 0)
      throw new Error(`the daemon ended with ${String(status)} after SIGTERM: ${this.child.stderr}`);
    return performance.now() - began;
  }

  /** SIGSTOP: the daemon keeps its connections and leases, and does nothing. */
  pause(): void {
    this.child.process.kill('SIGSTOP');
  }

  resume(): void {
    this.child.process.kill('SIGCONT');
  }

  async said(prefix: string): Promise<string> {
    return await this.child.said(prefix);
  }

  /** Ends the daemon in any state, for the clean-up of a test. */
  async discard(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child.process, 'close');
    this.child.process.kill('SIGCONT');
    this.child.process.kill('SIGKILL');
    await ended;
    await this.#forget?.();
  }
}
