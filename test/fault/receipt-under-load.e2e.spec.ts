import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DaemonHere } from '../support/world/daemon-here.js';
import { signed } from '../support/signed-delivery.js';
import { deliveryOf, DeliverySender, post, type Delivery } from './deliveries.js';
import type { Settings } from '../support/e2e-settings.js';
import type { World } from '../support/e2e-world.js';
import { openFaultWorld, WORKSPACE } from './fault-world.js';

const BURST = 200;
const NEXT_SECRET = 'the secret that comes after';

let world: World;
let daemon: DaemonHere;
beforeAll(async () => {
  world = await openFaultWorld();
});
beforeEach(async () => {
  daemon = await startWith({});
});
afterEach(async () => daemon.stop());
afterAll(async () => world.end());

let made = 0;
function delivery(): Delivery {
  made += 1;
  return deliveryOf({
    action: 'product_generation_failed',
    externalId: `shopify:nobody.myshopify.com:${String(made)}`,
    catalogId: made,
    taskId: `load-${String(made)}`,
    createdAt: new Date(),
  });
}

/** Starts a daemon with these settings of the webhook. */
async function startWith(webhook: Settings): Promise<DaemonHere> {
  await world.configure({ workspaces: { [WORKSPACE]: { webhook } } });
  return world.startHere();
}

async function inboxHolds(deliveries: readonly Delivery[]): Promise<number> {
  const [row] = await world.rows<{ count: string }>(
    'SELECT count(*) FROM webhook_delivery WHERE dedupe_key = ANY($1)',
    [deliveries.map(({ key }) => key)],
  );
  return Number(row?.count);
}

describe('deliveries', () => {
  it('that come all at once get no 4xx, and in the end each a 200 and a row', async () => {
    const sender = new DeliverySender(world.webhookUrl, world.webhookSecret);
    const burst = Array.from({ length: BURST }, () => delivery());
    for (const each of burst) sender.send(each);
    await sender.idle();
    const answers = new Set(sender.sent.flatMap(({ statuses }) => statuses));
    expect([...answers].filter((status) => status !== null && status >= 400 && status < 500)).toEqual([]);
    expect(sender.sent.every(({ acknowledged }) => acknowledged === 1)).toBe(true);
    expect(await inboxHolds(burst)).toBe(BURST);
  });

  it('signed with either secret are taken while a rotation goes on under load, and the old one ends with it', async () => {
    const before = new DeliverySender(world.webhookUrl, world.webhookSecret);
    const after = new DeliverySender(world.webhookUrl, NEXT_SECRET);
    for (let count = 0; count < 20; count += 1) before.send(delivery());
    const rotating = { hmacSecret: NEXT_SECRET, previousHmacSecret: world.webhookSecret, register: false };
    for (let count = 0; count < 20; count += 1) before.send(delivery());
    await daemon.stop();
    // Deliveries during the restart are repeated, as are those with the old secret under the new configuration.
    for (let count = 0; count < 20; count += 1) before.send(delivery());
    daemon = await startWith(rotating);
    for (let count = 0; count < 20; count += 1) after.send(delivery());
    await Promise.all([before.idle(), after.idle()]);
    for (const { statuses, acknowledged } of [...before.sent, ...after.sent]) {
      expect(statuses).not.toContain(401);
      expect(acknowledged).toBe(1);
    }
    await daemon.stop();
    daemon = await startWith({ hmacSecret: NEXT_SECRET, register: false });
    const late = delivery();
    expect(await post(world.webhookUrl, late.body, signed(late.body, world.webhookSecret))).toBe(401);
  });
});
