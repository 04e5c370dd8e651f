import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliverySender } from '../fault/deliveries.js';
import type { World } from '../support/e2e-world.js';
import { until } from '../support/until.js';
import type { SoakPlan } from './plan.js';

/** Sends the deliveries within `ms` milliseconds, five at a time. */
export async function sendOver(
  deliveries: SoakPlan['deliveries'],
  ms: number,
  sender: DeliverySender,
): Promise<void> {
  for (const [index, delivery] of deliveries.entries()) {
    sender.send(delivery);
    if (index % 5 === 4) await sleep((ms * 5) / deliveries.length);
  }
}

/** Waits until no delivery and no result is open. Throws after `withinMs`. */
export async function rest(world: World, log: (line: string) => void, withinMs: number): Promise<void> {
  const open = async (): Promise<number> => {
    const [row] = await world.rows<{ open: string }>(
      `SELECT (SELECT count(*) FROM webhook_delivery WHERE state = 'received')
            + (SELECT count(*) FROM write_back WHERE state = 'ready') AS open`,
    );
    return Number(row?.open ?? 0);
  };
  log(`${String(await open())} rows are left to be worked`);
  await until('every row is settled', async () => (await open()) === 0, withinMs);
}
