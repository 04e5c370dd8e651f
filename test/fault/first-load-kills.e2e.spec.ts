import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CSV_FIELDS } from '../../src/domain/catalog-product.js';
import { KILL_POINTS, type KillPoint } from '../../src/runtime/kill-point.js';
import { model, single } from '../support/e2e-products.js';
import type { World } from '../support/e2e-world.js';
import { until } from '../support/until.js';
import { openFaultWorld } from './fault-world.js';

const POINTS = KILL_POINTS.filter((point) => point.startsWith('load.'));
const PRODUCTS = 7;
/** Of three products each. */
const FILES = 3;
const COLUMNS = Object.fromEntries(CSV_FIELDS.map((field) => [field, field]));

interface Loaded {
  readonly links: readonly object[];
  readonly listed: readonly unknown[];
  readonly uploads: number | undefined;
}

const worlds: World[] = [];
/** All at once: after a death whose upload has an unknown outcome, the next worker watches the listing for a minute. */
const loads = new Map<KillPoint | null, Promise<Loaded>>();

beforeAll(() => {
  for (const point of [null, ...POINTS]) {
    const load = loadedThrough(point);
    load.catch(() => undefined); // its test has the error
    loads.set(point, load);
  }
});
afterAll(async () => {
  await Promise.allSettled(loads.values());
  for (const world of worlds) await world.end();
}, 120_000);

/** The end of a first load whose process dies at the point, and whose successor completes it. */
async function loadedThrough(point: KillPoint | null): Promise<Loaded> {
  const world = await openFaultWorld({
    withCatalog: true,
    webhooks: false,
    workspaceSettings: {
      firstLoad: 'csv',
      generation: { mode: 'off' },
      assumptions: { uploadCsv: { columns: COLUMNS, maxRows: 3 } },
    },
  });
  worlds.push(world);
  for (let number = 1; number <= PRODUCTS; number += 1)
    (number % 3 === 0 ? model : single)(world.store, `p${String(number)}`);
  const daemon = await (await world.load()).start();
  if (point !== null) await daemon.dieAt(point);
  await world.requestRun().catch(() => undefined); // a daemon that dies early cuts the answer off
  if (point !== null) {
    expect(await daemon.exit()).toBeNull();
    await world.database.expireLeases();
    await (await world.load()).start();
  }
  await until(
    'the end of the run',
    async () => {
      const [run] = await world.rows<{ state: string; error: string | null }>(
        'SELECT state, error FROM sync_run',
      );
      if (run?.state === 'failed' || run?.state === 'partial') throw new Error(JSON.stringify(run));
      return run?.state === 'succeeded';
    },
    150_000,
  );
  return outcome(world);
}

async function outcome(world: World): Promise<Loaded> {
  const links = await world.rows<{ catalog: string; link: object }>(
    `SELECT catalog_id AS catalog, jsonb_build_object('id', external_id, 'state', state, 'handle', handle, 'withheld', withheld,
       'pushed', pushed_fields, 'fingerprint', source_fingerprint) AS link FROM store_product ORDER BY external_id`,
  );
  expect(new Set(links.map(({ catalog }) => catalog)).size).toBe(PRODUCTS);
  const listed = await world.catalogProducts();
  return {
    links: links.map(({ link }) => link),
    listed: listed.map(({ external_id: id }) => id).toSorted(),
    uploads: world.catalog.requestCounts()['POST /products/upload-csv/'],
  };
}

const of = (point: KillPoint | null): Promise<Loaded> => {
  const load = loads.get(point);
  if (load === undefined) throw new Error(`nothing was loaded through ${String(point)}`);
  return load;
};

describe('a first load by CSV', () => {
  it('links every product, once, and each to a product of its own', async () => {
    const { links, listed, uploads } = await of(null);
    expect(links).toHaveLength(PRODUCTS);
    expect(new Set(listed).size).toBe(PRODUCTS);
    expect(listed).toHaveLength(PRODUCTS);
    expect(uploads).toBe(FILES);
  }, 180_000);

  it.each(POINTS)(
    'that dies at %s ends with the same links, and uploads no file twice',
    async (point) => {
      const [whole, cut] = [await of(null), await of(point)];
      expect(cut.links).toEqual(whole.links);
      expect(cut.listed).toEqual(whole.listed);
      // A file whose upload is in doubt is not repeated: what it did not bring in is sent by requests.
      expect(cut.uploads).toBe(point === 'load.noted' ? FILES - 1 : FILES);
    },
    180_000,
  );
});
