import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { CSV_FIELDS } from '../../src/domain/catalog-product.js';
import { startChild } from '../support/child.js';
import { createSandboxPlace } from '../support/postgres.js';
import { runDirectory } from '../support/run-directory.js';
import { writeExportFile } from './export-files.js';
import type { Log } from './run-benches.js';
import { Sides } from './sides.js';
import type { Figure } from './table.js';
import { BenchWorld } from './world.js';

const CATALOG = fileURLToPath(new URL('catalog-sandbox-main.ts', import.meta.url));
/** The configuration's default. */
const REQUESTS_PER_SECOND = 10;

const pageSchema = z.object({
  next: z.string().nullable(),
  results: z.array(z.object({ id: z.number(), external_id: z.string().nullable() })),
});

/** Work 15: a store that the catalog has never seen, loaded as CSV files at the default of ten requests a second. */
export async function benchCsvLoad(products: number, log: Log): Promise<Figure[]> {
  const place = await createSandboxPlace();
  const catalog = startChild(CATALOG, [place.databaseUrl, place.schema]);
  const { url, token } = JSON.parse(await catalog.said('up ')) as { url: string; token: string };
  const sides = await Sides.start();
  const columns = Object.fromEntries(CSV_FIELDS.map((field) => [field, field]));
  const world = await BenchWorld.open({
    catalogUrl: url,
    stores: { csv: { shop: 'csv.myshopify.com', url: sides.storeUrl } },
    workspace: {
      auth: { apiToken: token },
      requestsPerSecond: REQUESTS_PER_SECOND,
      firstLoad: 'csv',
      assumptions: { uploadCsv: { columns } },
    },
  });
  try {
    const path = join(runDirectory(), 'csv.jsonl');
    const file = await writeExportFile(path, products, 0, { isStandalone: true });
    await sides.order({ file });
    const daemon = await world.start();
    const { seconds, run } = await daemon.fullRun('csv');
    const cpu = await daemon.cpuSeconds();
    await daemon.stop();
    await rm(file.path);
    if (run.counts['created'] !== products) throw new Error(`created ${String(run.counts['created'])}`);
    const wrong = await wrongLinks(world, await listing(url, token), products);
    log(
      `csv-load: ${seconds.toFixed(1)} s, CPU of the daemon ${cpu.toFixed(1)} s, ${String(wrong)} links differ from the listing`,
    );
    const byRequests = products / REQUESTS_PER_SECOND;
    return [
      {
        row: '15',
        work: `first load of ${String(products)} products as CSV, at ${String(REQUESTS_PER_SECOND)} requests a second`,
        figure: seconds,
        unit: 's',
        floor: byRequests,
        floorIs: 'a request for each product',
        goal: 'at most 0.2 ×',
        reached: seconds <= 0.2 * byRequests,
      },
      {
        row: '15',
        work: 'links that differ from the listing afterwards',
        figure: wrong,
        unit: '',
        floor: null,
        floorIs: '',
        goal: '0',
        reached: wrong === 0,
      },
    ];
  } finally {
    await catalog.kill();
    await sides.stop();
    await world.close();
  }
}

/** The ids of all products of the catalog by external_id. */
async function listing(url: string, token: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  let next: string | null = `${url}/products/`;
  while (next !== null) {
    const answer: Response = await fetch(next, { headers: { authorization: `Bearer ${token}` } });
    const page = pageSchema.parse(await answer.json());
    for (const { id, external_id: externalId } of page.results)
      found.set(externalId ?? String(id), String(id));
    next = page.next;
  }
  return found;
}

/** Links without their product in the listing, and products of the listing without a link. */
async function wrongLinks(
  world: BenchWorld,
  listed: ReadonlyMap<string, string>,
  products: number,
): Promise<number> {
  const { rows } = await world.db.query<{ external_id: string; catalog_id: string | null }>(
    `SELECT external_id, catalog_id FROM store_product WHERE state = 'linked'`,
  );
  const right = rows.filter(
    ({ external_id: id, catalog_id: catalogId }) => listed.get(id) === catalogId,
  ).length;
  return Math.max(products, listed.size) - right;
}
