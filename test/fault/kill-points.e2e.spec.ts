import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KILL_POINTS, type KillPoint } from '../../src/runtime/kill-point.js';
import type { DaemonProcess } from '../support/world/daemon-process.js';
import type { World } from '../support/e2e-world.js';
import { until } from '../support/until.js';
import { openFaultWorld } from './fault-world.js';
import { checkHistory } from './history.js';
import { requestCounts } from '../support/world/catalog-calls.js';

/** Kill points of a result that arrives by polling. */
const POLLED: readonly KillPoint[] = ['poll.asked', 'poll.stored'];
/** A call with an unknown outcome may have cost credits, so it is not repeated until polls have had an hour. */
const UNKNOWN_OUTCOME: readonly KillPoint[] = ['generate.opened'];

/** Sends one product after the other through the loop. Each time one daemon dies, and its successor continues. */
class Relay {
  private count = 0;

  private constructor(
    readonly world: World,
    /** How many die. */
    private readonly deaths: number,
    private daemon: DaemonProcess,
    private successor: Promise<DaemonProcess>,
  ) {}

  static async open(deaths: number): Promise<Relay> {
    const world = await openFaultWorld({
      withCatalog: true,
      catalog: { retryDelaysMs: [200, 400, 800, 1_600, 3_200, 3_200, 3_200, 3_200] },
      // The test fills the slot, so that no start fills it again once it is to be empty.
      workspaceSettings: { webhook: { register: false } },
    });
    try {
      await fillSlot(world);
      const daemon = await (await world.load()).start();
      return new Relay(world, deaths, daemon, world.load());
    } catch (error) {
      await world.end();
      throw error;
    }
  }

  async dieAt(point: KillPoint): Promise<void> {
    this.count += 1;
    const handle = `product-${String(this.count)}`;
    this.world.store.products.create({ title: `Plain ${handle}`, handle, descriptionHtml: '<p>Plain.</p>' });
    await this.daemon.dieAt(point);
    // The run is a row before it is answered: a daemon that dies early cuts the answer off, and its successor works the run.
    const answer = await this.world.requestRun().catch((error: unknown) => error);
    expect(typeof answer === 'string' || answer instanceof TypeError).toBe(true);
    expect(await this.daemon.exit()).toBeNull();
    await this.world.database.expireLeases();
    this.daemon = await (await this.successor).start();
    if (this.count < this.deaths) this.successor = this.world.load();
    if (UNKNOWN_OUTCOME.includes(point)) await this.letADayPass();
    try {
      await until(`${handle} completed`, () => this.hasCompleted(handle), 120_000);
    } catch (error) {
      throw new Error(await this.standing(), { cause: error });
    }
  }

  /** From now on deliveries come. */
  async fillSlot(): Promise<void> {
    await fillSlot(this.world);
  }

  /** From now on no deliveries come. */
  async emptySlot(): Promise<void> {
    expect(await this.world.catalogApi('DELETE', '/settings/webhooks/')).toMatchObject({ status: 204 });
  }

  private async letADayPass(): Promise<void> {
    const open = `SELECT 1 FROM generation_task WHERE state = 'requested'`;
    await this.world.runsEnded();
    expect(await this.world.rows(open)).toHaveLength(1);
    await this.world.rows(
      `UPDATE generation_task SET requested_at = requested_at - interval '25 hours', next_poll_at = now() WHERE state = 'requested'`,
    );
    await until('it is given up', async () => (await this.world.rows(open)).length === 0);
    await this.world.requestRun();
  }

  /** The rows that are not settled, for people. */
  private async standing(): Promise<string> {
    const rows = await this.world.rows<{ row: object }>(
      `SELECT to_jsonb(each) - 'body' - 'intended' AS row FROM (SELECT * FROM sync_run WHERE state <> 'succeeded') AS each
       UNION ALL SELECT to_jsonb(task) FROM generation_task AS task WHERE state = 'requested'
       UNION ALL SELECT to_jsonb(delivery) - 'raw_body' FROM webhook_delivery AS delivery WHERE state <> 'processed'
       UNION ALL SELECT to_jsonb(write_back) - 'intended' FROM write_back WHERE state <> 'applied'`,
    );
    const sent = (await this.world.catalog.deliveries()).map(({ body: _body, ...delivery }) => delivery);
    return JSON.stringify({ rows: rows.map(({ row }) => row), sent }, null, 1);
  }

  private async hasCompleted(handle: string): Promise<boolean> {
    if (this.world.store.products.byHandle(handle)?.descriptionHtml === '<p>Plain.</p>') return false;
    if (!(await this.everythingDelivered())) return false;
    const open = await this.world.rows(
      `${RUN_ACTIVE} UNION ALL SELECT 1 FROM webhook_delivery WHERE state = 'received'
       UNION ALL SELECT 1 FROM write_back WHERE state = 'ready'
       UNION ALL SELECT 1 FROM generation_task WHERE state = 'requested'`,
    );
    return open.length === 0;
  }

  /** A delivery may still be on its way after a poll has settled what it says. */
  private async everythingDelivered(): Promise<boolean> {
    const sent = await this.world.catalog.deliveries();
    return sent.every(({ state }) => state !== 'pending');
  }

  /** The requests to the catalog and the store, over all products so far. */
  async expectOnceEach(): Promise<void> {
    const { lost, doubled, broken } = await checkHistory({ world: this.world, sent: [] });
    expect({ lost, doubled, broken }).toEqual({ lost: [], doubled: [], broken: [] });
    expect(requestCounts(this.world.catalog.requests())['POST /products/generate/']).toBe(this.count);
    const [listed] = await this.world.rows<{ count: string }>(
      `SELECT count(DISTINCT catalog_id) FROM store_product WHERE state = 'linked'`,
    );
    expect(Number(listed?.count)).toBe(this.count);
  }

  async close(): Promise<void> {
    await this.successor;
    await this.world.end();
  }
}

async function fillSlot(world: World): Promise<void> {
  const slot = { url: world.webhookUrl, hmac_secret: world.webhookSecret };
  await world.catalogApi('POST', '/settings/webhooks/', slot);
}

const RUN_ACTIVE = `SELECT 1 FROM sync_run WHERE state IN ('queued', 'running')`;

describe('a daemon that dies', () => {
  let relay: Relay;
  beforeAll(async () => {
    relay = await Relay.open(KILL_POINTS.length);
  });
  afterAll(async () => relay.close());

  async function dieAt(point: KillPoint): Promise<void> {
    await relay.dieAt(point);
    await relay.expectOnceEach();
  }

  it.each(KILL_POINTS.filter((point) => !POLLED.includes(point)))(
    'at %s is succeeded by one that completes the product, once',
    dieAt,
  );

  describe('while no deliveries come,', () => {
    beforeAll(async () => relay.emptySlot());
    afterAll(async () => relay.fillSlot());

    it.each(POLLED)('at %s is succeeded by one that completes the product, once', dieAt);
  });
});
