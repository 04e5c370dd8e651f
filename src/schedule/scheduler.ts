import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Connections } from '../connections/connections.js';
import { Reconciler } from './reconciler.js';
import { Retention } from './retention.js';
import { SideChecks } from './side-checks.js';
import { ShopRedactions } from './shop-redactions.js';
import { StoreSchedules } from './store-schedules.js';
import { Timers } from './timers.js';
import { Uninstalls } from './uninstalls.js';

const POLLS_OF = 'polls of ';
const SWEEP_MS = 5_000;
/** The interval while more rows are due than one round handles. */
const SWEEP_AGAIN_MS = 1_000;
/** A merchant waits for an edit to reach the catalog, so events are looked for more often than other due rows. */
const EVENTS_MS = 2_000;
const SCHEDULES_MS = 1_000;
const ERASURE_MS = 900_000;
const SLOT_CHECK_MS = 600_000;
const SUBSCRIPTION_CHECK_MS = 6 * 3_600_000;
const RETENTION_MS = 6 * 3_600_000;
/** The first retention waits, because other work has priority after a start. */
const FIRST_RETENTION_MS = 600_000;

/** Says what happens when: schedules of stores, rounds over due rows, polls, checks of both sides, and retention. */
@Injectable()
export class Scheduler implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly timers: Timers,
    private readonly connections: Connections,
    private readonly schedules: StoreSchedules,
    private readonly reconciler: Reconciler,
    private readonly sides: SideChecks,
    private readonly retention: Retention,
    private readonly uninstalls: Uninstalls,
    private readonly redactions: ShopRedactions,
  ) {}

  onApplicationBootstrap(): void {
    this.start();
  }

  onModuleDestroy(): void {
    this.stop();
  }

  start(): void {
    const { timers, schedules, sides } = this;
    this.connections.onReplaced(() => {
      this.#reschedule();
    });
    const sweep = timers.every('sweep', SWEEP_MS, async () => {
      await sides.wakeCapped();
      const more = await this.reconciler.sweep();
      await schedules.runPutOffSlots();
      if (more) timers.soon('sweep again', SWEEP_AGAIN_MS, sweep);
    });
    this.#pollWorkspaces();
    timers.every('runs of events', EVENTS_MS, () => schedules.runEvents());
    timers.every('schedules', SCHEDULES_MS, () => schedules.runDue())();
    // Resume the work of earlier processes now, not after the first interval.
    sweep();
    timers.every('uninstall events', SWEEP_MS, () => this.uninstalls.pass());
    timers.every('erasures', ERASURE_MS, () => this.redactions.pass());
    timers.every('webhook slots', SLOT_CHECK_MS, () => sides.checkSlots({ rewrite: false }));
    timers.every('store events', SUBSCRIPTION_CHECK_MS, () => sides.keepSubscriptions());
    const retention = timers.every('retention', RETENTION_MS, () => this.retention.pass());
    timers.soon('first retention', FIRST_RETENTION_MS, retention);
    this.#checkSides();
  }

  /** After a reload of the configuration: other workspaces, other webhooks. The schedules of its stores are looked at every second. */
  #reschedule(): void {
    if (this.timers.stopped) return;
    this.#pollWorkspaces();
    this.#checkSides();
  }

  #checkSides(): void {
    void this.timers.guarded('webhook slots', () => this.sides.checkSlots({ rewrite: true }));
    void this.timers.guarded('store events', () => this.sides.keepSubscriptions());
  }

  /**
   * Rounds of their own: slow answers to polls must not hold back runs, deliveries and events. Each round takes the workspace as it is
   * configured then.
   */
  #pollWorkspaces(): void {
    const { connections, timers } = this;
    const { registry } = timers;
    const names = new Map(connections.workspaces.map(({ key }) => [`${POLLS_OF}${key}`, key]));
    for (const name of registry.getIntervals())
      if (name.startsWith(POLLS_OF) && !names.has(name)) registry.deleteInterval(name);
    for (const [name, key] of names) {
      if (registry.doesExist('interval', name)) continue;
      timers.every(name, SWEEP_MS, async () => {
        const workspace = connections.workspace(key);
        if (workspace !== undefined) await this.sides.poll(workspace);
      })();
    }
  }

  stop(): void {
    this.retention.stop();
    this.timers.stop();
  }
}
