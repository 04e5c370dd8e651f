import type { RunningDaemon } from '../../src/daemon.js';
import { World, type WorldOptions } from './e2e-world.js';
import type { DaemonHere } from './world/daemon-here.js';

/** A world whose daemon runs in the test's own process, from the sources, and is started and stopped by the test. */
export class OperationsWorld {
  private running: DaemonHere | null = null;

  private constructor(readonly world: World) {}

  static async open(options: WorldOptions = {}): Promise<OperationsWorld> {
    return new OperationsWorld(await World.open(options));
  }

  /** Starts the daemon with the configuration as it is now; `end` stops it. */
  async start(): Promise<RunningDaemon> {
    this.running = await this.world.startHere();
    return this.running.daemon;
  }

  async stop(): Promise<void> {
    const daemon = this.running;
    this.running = null;
    await daemon?.stop();
  }

  /** The daemon for as long as the work takes, and until all that it led to is settled. */
  async whileUp(work: () => Promise<void>): Promise<void> {
    await this.start();
    try {
      await work();
      await this.world.settled();
    } finally {
      await this.stop();
    }
  }

  async end(): Promise<void> {
    await this.world.end();
  }
}
