import { setTimeout as sleep } from 'node:timers/promises';
import { chance } from '../fault/chance.js';
import type { World } from '../support/e2e-world.js';
import type { DaemonProcess } from '../support/world/daemon-process.js';
import { DeliverySender } from '../fault/deliveries.js';
import { openFaultWorld } from '../fault/fault-world.js';
import { checkHistory, type Verdict } from '../fault/history.js';
import { checkTitles, planSoak, type SoakPlan } from './plan.js';
import { rest, sendOver } from './sending.js';

export interface SoakOptions {
  readonly deliveries: number;
  /** Times that the daemon is killed with SIGKILL, at random moments. */
  readonly kills: number;
  /** Times that the database server is stopped as by a crash and started again. */
  readonly databaseRestarts: number;
  readonly seed: number;
  /** Queues in Redis; empty: in PostgreSQL. */
  readonly redisUrl?: string;
  /** Leases expire right after a kill, instead of after their time. */
  readonly fast: boolean;
  readonly log: (line: string) => void;
}

export interface SoakReport extends Verdict {
  readonly kills: number;
  readonly databaseRestarts: number;
  /** Attempts of the sender, and how many of them were not answered or answered 5xx. */
  readonly attempts: number;
  readonly repeated: number;
  readonly seconds: number;
}

/** From the first delivery of a burst to the SIGKILL, in milliseconds. */
const LIFE_MS = { least: 60, most: 1_400 };
/** The share of deliveries that is sent again although it was acknowledged. */
const RESENT_SHARE = 0.1;

/**
 * Delivers to a daemon that is killed at random and whose database crashes. Waits until all work has ended, and checks the history.
 * A seed fixes the deliveries, their order and the lifetimes of the daemons; their timing on the machine still varies.
 */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const began = performance.now();
  const random = chance(options.seed);
  const world = await openFaultWorld({
    ownCluster: true,
    ...(options.redisUrl === undefined ? {} : { redisUrl: options.redisUrl }),
  });
  try {
    const first = await (await world.load()).start();
    const plan = await planSoak(world, options.deliveries, random);
    const sender = new DeliverySender(world.webhookUrl, world.webhookSecret);
    options.log(`seed ${String(options.seed)}: ${String(plan.deliveries.length)} deliveries`);
    const last = await killRepeatedly(world, first, plan, sender, options, random);
    await sender.idle();
    await rest(world, options.log, 240_000);
    await last.terminate();
    const verdict = await checkHistory({
      world,
      sent: sender.sent,
      edits: plan.edits,
    });
    checkTitles([world.store], plan, verdict);
    const statuses = sender.sent.flatMap((sent) => sent.statuses);
    return {
      ...verdict,
      kills: options.kills,
      databaseRestarts: options.databaseRestarts,
      attempts: statuses.length,
      repeated: statuses.filter((status) => status === null || status >= 500).length,
      seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    await world.end();
  }
}

/** Kill after kill, a share of the deliveries in each life, a database crash in some. Returns the daemon that is left. */
async function killRepeatedly(
  world: World,
  first: DaemonProcess,
  plan: SoakPlan,
  sender: DeliverySender,
  options: SoakOptions,
  random: () => number,
): Promise<DaemonProcess> {
  let daemon = first;
  let sent = 0;
  let restarts = 0;
  for (let kill = 1; kill <= options.kills; kill += 1) {
    // The successor loads while its predecessor works on its backlog. The predecessor dies during the burst that follows.
    const successor = await world.load();
    const share = Math.round((plan.deliveries.length * kill) / options.kills);
    const lifeMs = LIFE_MS.least + random() * (LIFE_MS.most - LIFE_MS.least);
    const deliveries = plan.deliveries.slice(sent, share);
    const again = deliveries.filter(() => random() < RESENT_SHARE);
    sent = share;
    const sending = sendOver([...deliveries, ...again], lifeMs, sender);
    const due = Math.round((options.databaseRestarts * kill) / options.kills);
    if (due > restarts) {
      restarts = due;
      await sleep(lifeMs / 3);
      await world.database.crash();
      await sleep(random() * 1_000);
      await world.database.cluster?.start();
    }
    await Promise.all([sleep(lifeMs), sending]);
    await daemon.kill();
    if (options.fast) await world.database.expireLeases();
    daemon = await successor.start();
    if (kill % 20 === 0 || kill === options.kills)
      options.log(`${String(kill)} kills, ${String(sent)} deliveries sent, ${String(sender.open)} open`);
  }
  return daemon;
}
