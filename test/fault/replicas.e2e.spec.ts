import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { chance } from './chance.js';
import { planSoak } from '../soak/plan.js';
import { DeliverySender } from './deliveries.js';
import type { World } from '../support/e2e-world.js';
import { until } from '../support/until.js';
import { openFaultWorld, type FaultWorldOptions } from './fault-world.js';
import { Front } from './front.js';
import { checkHistory, storeWrites } from './history.js';
import { requestCounts } from '../support/world/catalog-calls.js';

let world: World;
let front: Front | null = null;
afterEach(async () => {
  front?.stop();
  front = null;
  await world.end();
});

async function open(options: FaultWorldOptions): Promise<void> {
  world = await openFaultWorld(options);
}

function fill(count: number): void {
  for (let index = 0; index < count; index += 1) {
    const handle = `product-${String(index)}`;
    world.store.products.create({ title: `Plain ${handle}`, handle, descriptionHtml: '<p>Plain.</p>' });
  }
}

async function expectNothingLostOrDoubled(sent: DeliverySender['sent'] = []): Promise<void> {
  const { lost, doubled, refused, broken } = await checkHistory({ world, sent });
  expect({ lost, doubled, refused, broken }).toEqual({ lost: [], doubled: [], refused: [], broken: [] });
}

describe('among two daemons', () => {
  it('the one that is left takes over the run of the one that died, within its lease', async () => {
    await open({ withCatalog: true });
    fill(5);
    const [doomed, left] = [await (await world.load(0)).start(), await (await world.load(1)).start()];
    await doomed.dieAt('apply.sent');
    // Leaves the run to the other daemon, also if this one is quicker.
    left.pause();
    const id = await world.requestRun();
    expect(await doomed.exit()).toBeNull();
    const diedAt = performance.now();
    left.resume();
    await world.runsEnded();
    expect(performance.now() - diedAt).toBeLessThan(40_000);
    const [run] = await world.rows<{ state: string }>('SELECT state FROM sync_run WHERE id = $1', [id]);
    expect(run?.state).toBe('succeeded');
    await world.settled();
    await expectNothingLostOrDoubled();
    expect(requestCounts(world.catalog.requests())['POST /products/']).toBeGreaterThanOrEqual(5);
  });

  it('the one that stood still while its write-back was taken over changes nothing when it goes on', async () => {
    await open({ withCatalog: true });
    const plan = await planSoak(world, 1, () => 0.99);
    const [still, other] = [await (await world.load(0)).start(), await world.load(1)];
    await still.pauseAt('write-back.taken');
    const sender = new DeliverySender(world.webhookUrl, world.webhookSecret);
    for (const delivery of plan.deliveries) sender.send(delivery);
    await still.reached('write-back.taken');
    await other.start();
    // The paused daemon acknowledged the delivery, or the sender repeats it to the other one: the test need not wait for it.
    await world.database.expireLeases();
    await until('the other has written', () => storeWrites(world.store).length > 0, 120_000);
    const [product] = world.store.products.list();
    const written = storeWrites(world.store).find((write) => write.product === product?.gid);
    still.resume();
    await sender.idle();
    await world.settled();
    await sleep(500);
    await expectNothingLostOrDoubled(sender.sent);
    expect(written).toBeDefined();
  });

  it('one after the other is restarted under load, and no delivery gets a 4xx or is lost', async () => {
    // The catalog is asked which of two results is the newer one: one that refuses connections is asked again for half a minute.
    await open({ withCatalog: true });
    const first = await (await world.load(0)).start();
    const plan = await planSoak(world, 60, chance(7));
    const second = await (await world.load(1)).start();
    front = await Front.start(world.replicas, chance(8));
    const sender = new DeliverySender(`${front.url}/webhooks/catalog/default`, world.webhookSecret);
    const sending = (async () => {
      for (const delivery of plan.deliveries) {
        sender.send(delivery);
        await sleep(100);
      }
    })();
    const renewed = await world.load(0);
    expect(await first.terminate()).toBeLessThan(25_000);
    await renewed.start();
    const renewedToo = await world.load(1);
    expect(await second.terminate()).toBeLessThan(25_000);
    await renewedToo.start();
    await sending;
    await sender.idle();
    await world.settled();
    await expectNothingLostOrDoubled(sender.sent);
  });
});
