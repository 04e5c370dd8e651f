import { join } from 'node:path';
import type pg from 'pg';
import { productExternalId } from '../../src/domain/external-id.js';
import { deliveryOf } from '../fault/deliveries.js';
import { runDirectory } from '../support/run-directory.js';
import { writeExportFile, type ExportFile } from './export-files.js';
import { CATALOG_MS } from './full-run.js';
import { load } from './receipt.js';
import type { Log } from './run-benches.js';
import { seedLinks } from './seed.js';
import { Sides } from './sides.js';
import type { Figure } from './table.js';
import { BenchWorld, type BenchDaemon } from './world.js';

const SHOP = 'busy.myshopify.com';
const PRODUCTS = 500;
const LEAST_UPDATED = 0.9 * PRODUCTS;
const PER_SECOND = 50;
const P99_MS = 250;

/**
 * Work 11: receipt while full runs follow one another, each with 500 changed products, and while a result of each is
 * written back to the store.
 */
export async function benchReceiptAtWork(seconds: number, log: Log): Promise<Figure[]> {
  const sides = await Sides.start();
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: { busy: { shop: SHOP, url: sides.storeUrl, writeBack: { onConflict: 'overwrite' } } },
  });
  const daemon = await world.start();
  try {
    const files = [
      await writeExportFile(join(runDirectory(), 'plain.jsonl'), PRODUCTS),
      await writeExportFile(join(runDirectory(), 'changed.jsonl'), PRODUCTS, PRODUCTS),
    ];
    await seedLinks(world.db, { store: 'busy', shop: SHOP }, PRODUCTS);
    const url = `${daemon.url}/webhooks/catalog/default`;
    await load(url, world.webhookSecret, 1_000_000, 2, PER_SECOND);
    const stopping = new AbortController();
    const working = runsBackToBack(world, daemon, sides, files, stopping.signal);
    const taken = await load(url, world.webhookSecret, 2_000_000, seconds, PER_SECOND);
    stopping.abort();
    const runs = await working;
    const written = await writtenBack(world.db);
    log(`receipt at work: ${JSON.stringify({ taken, runs, written })}`);
    return [
      {
        row: '11',
        work: `p99 of receipt at ${String(PER_SECOND)} a second, during ${String(runs)} full runs of ${String(PRODUCTS)} changed products and ${String(written)} write-backs`,
        figure: taken.p99,
        unit: 'ms',
        floor: taken.p50,
        floorIs: 'p50 of the same',
        goal: `at most ${String(P99_MS)} ms`,
        reached: taken.p99 <= P99_MS,
      },
    ];
  } finally {
    await daemon.stop();
    await sides.stop();
    await world.close();
  }
}

/** Answers with the number of runs. Each finds every product as changed, because the files take turns. */
async function runsBackToBack(
  world: BenchWorld,
  daemon: BenchDaemon,
  sides: Sides,
  files: readonly ExportFile[],
  signal: AbortSignal,
): Promise<number> {
  let runs = 0;
  while (!signal.aborted) {
    runs += 1;
    const file = files[runs % files.length];
    if (file === undefined) throw new Error('no export file');
    await sides.order({ file, catalogMs: CATALOG_MS, listed: { shop: SHOP, products: PRODUCTS } });
    await storeResults(world.db, runs);
    const { run } = await daemon.fullRun('busy', { mayOwe: true });
    // Products that a write-back is writing are owed, and may be back at their earlier content when they are read again.
    const { updated = 0 } = run.counts;
    if (updated < LEAST_UPDATED) throw new Error(`updated ${String(updated)}`);
  }
  return runs;
}

/** A result of every product, as if it had just been received. */
async function storeResults(db: pg.Pool, round: number): Promise<void> {
  const rows = Array.from({ length: PRODUCTS }, (_, index) => {
    const id = index + 1;
    const { key, body } = deliveryOf({
      action: 'product_generated',
      externalId: productExternalId(SHOP, String(id)),
      catalogId: id,
      taskId: `round-${String(round)}-${String(id)}`,
      createdAt: new Date(),
      content: {
        name: `Better lamp ${String(id)} of round ${String(round)}`,
        html_description: `<p>Better by ${String(round)}.</p>`,
      },
    });
    return { key, body: body.toString() };
  });
  await db.query(
    `INSERT INTO webhook_delivery (workspace, dedupe_key, via, raw_body, action)
     SELECT 'default', key, 'webhook', convert_to(body, 'UTF8'), 'product_generated'
     FROM jsonb_to_recordset($1::jsonb) AS row(key text, body text)`,
    [JSON.stringify(rows)],
  );
}

async function writtenBack(db: pg.Pool): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    `SELECT count(*) FROM write_back WHERE state = 'applied'`,
  );
  return Number(rows[0]?.count ?? 0);
}
