import { setTimeout as sleep } from 'node:timers/promises';
import type { DaemonProcess } from '../support/world/daemon-process.js';
import { stopServer } from '../../src/embedded-postgres/server.js';
import type { Fleet } from './fleet.js';

export interface Disturbances {
  readonly replicas: number;
  readonly partitionMs: number;
  /** The share of partitions that end by cutting the silent connections. The others leave them silent for as long as they live. */
  readonly cutShare: number;
  readonly skewMs: number;
}

const CRASH_MS = 10_000;

/** The replicas of a fleet as they run, and what happens to them. Each start has a clock that is wrong by another amount. */
export class RunningReplicas {
  private readonly running = new Map<number, DaemonProcess>();
  /** Replicas that are being killed or are cut off: nothing else happens to them. */
  private readonly troubled = new Map<number, Promise<void>>();

  constructor(
    private readonly fleet: Fleet,
    private readonly options: Disturbances,
    private readonly random: () => number,
  ) {}

  async start(replica: number): Promise<void> {
    const skewMs = Math.round((this.random() * 2 - 1) * this.options.skewMs);
    const loaded = await this.fleet.load(replica, skewMs);
    this.running.set(replica, await this.started(replica, skewMs, loaded));
  }

  /** One dies, and a successor takes its place while the others work on. */
  async killOne(): Promise<void> {
    const replica = await this.calmOne();
    await this.running.get(replica)?.kill();
    this.trouble(replica, this.start(replica));
  }

  /** Redis dies and starts again without its data. */
  async loseRedis(): Promise<void> {
    await this.fleet.redis?.stop();
    await sleep(this.random() * 1_000);
    await this.fleet.redis?.start();
  }

  async crashDatabase(): Promise<void> {
    if (!(await stopServer(this.fleet.cluster.place, 'immediate', CRASH_MS)))
      throw new Error('the database server does not stop');
    await sleep(this.random() * 1_000);
    await this.fleet.cluster.start();
  }

  /** The connections of one to the database go silent for a while. Where they are not cut then, only new ones pass. */
  async partitionOne(): Promise<void> {
    const replica = await this.calmOne();
    const gate = this.fleet.gateOf(replica);
    gate.silence();
    const healed = async (): Promise<void> => {
      await sleep(this.options.partitionMs);
      if (this.random() < this.options.cutShare) gate.shut();
      gate.open();
    };
    this.trouble(replica, healed());
  }

  /** Resolves when every replica runs and reaches its database. */
  async settle(): Promise<void> {
    await Promise.all(this.troubled.values());
  }

  /** Stops all. Answers what those said that did not end with 0: the rows count, and not how a process ended. */
  async stop(): Promise<string[]> {
    const ends = await Promise.allSettled([...this.running.values()].map((daemon) => daemon.terminate()));
    this.running.clear();
    return ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
  }

  private trouble(replica: number, work: Promise<void>): void {
    this.troubled.set(
      replica,
      work.finally(() => this.troubled.delete(replica)),
    );
    // A failure is thrown by `settle` or `calmOne`. Without a handler it would end the process first.
    this.troubled.get(replica)?.catch(() => undefined);
  }

  /** A replica to which nothing happens just now. While there is none, this waits. */
  private async calmOne(): Promise<number> {
    for (;;) {
      const calm = [...this.running.keys()].filter((replica) => !this.troubled.has(replica));
      const replica = calm[Math.floor(this.random() * calm.length)];
      if (replica !== undefined) return replica;
      await Promise.race(this.troubled.values());
    }
  }

  /** A start fails while the database is down, and is repeated, as an orchestrator does. */
  private async started(replica: number, skewMs: number, loaded: DaemonProcess): Promise<DaemonProcess> {
    for (let daemon = loaded; ; daemon = await this.fleet.load(replica, skewMs)) {
      try {
        return await daemon.start();
      } catch (error) {
        if (!daemon.hasEnded) throw error;
        await sleep(500);
      }
    }
  }
}
