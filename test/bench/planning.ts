import { availableParallelism } from 'node:os';
import type { SourceProduct } from '../../src/domain/store-port.js';
import type { LinkRow } from '../../src/persistence/plan-rows.js';
import { fieldHashes } from '../../src/planner/map-to-catalog.js';
import { markOfRead, planProduct } from '../../src/planner/plan-product.js';
import { SILENT_LOGGER } from '../../src/runtime/logger.js';
import { FingerprintThread } from '../../src/sync/fingerprint-thread.js';
import { Findings, planMet, type MetBatch } from '../../src/sync/planned-batch.js';
import { RunFingerprints } from '../../src/sync/run-fingerprints.js';
import { until } from '../support/until.js';
import { middleOf } from './full-run.js';
import type { Log } from './run-benches.js';
import { benchProduct, benchSettings, benchRules } from './seed.js';
import type { Figure } from './table.js';

const SHOP = 'planning.myshopify.com';
const BASIS = 'bench';
const GOAL = 200_000;
const GOAL_PARSED = 100_000;
/** The machine's speed may move by a third from one second to the next. An odd number, as `middleOf` asks. */
const ROUNDS = 9;
/** Products of one batch of an export. */
const BATCH = 500;
const FLOOR_IS = 'JSON.parse of the same lines, by one thread';
/** The program of the daemon's second thread. */
const THREAD = { file: new URL('../../dist/sync/fingerprint-worker.js', import.meta.url), execArgv: [] };

interface Known extends LinkRow {
  readonly readMark: string | null;
}

/** Work 8: decisions alone, of products that an export showed, one in a hundred changed. Each figure is the middle one of some rounds. */
export async function benchPlanning(products: number, log: Log): Promise<Figure[]> {
  const rules = benchRules(SHOP);
  const links: Known[] = [];
  const sources: SourceProduct[] = [];
  for (let id = 1; id <= products; id++) {
    const before = benchProduct(SHOP, id);
    const plan = planProduct(before.snapshot(), null, rules, new Set());
    if (plan.kind === 'unchanged' || plan.kind === 'put_off')
      throw new Error('a product without a link is new');
    links.push({
      externalId: plan.externalId,
      revision: '1',
      state: 'linked',
      catalogId: String(id),
      sourceFingerprint: plan.sourceFingerprint,
      pushedFields: fieldHashes(plan.body),
      written: null,
      withheld: [],
      creating: false,
      writing: false,
      goneFromCatalog: false,
      readMark: markOfRead(before.digest, BASIS),
    });
    const read = benchProduct(SHOP, id, id % 100 === 0 ? 1 : 0);
    // Digests are taken while reading.
    const { externalId, storeId, digest, unparsed } = read;
    sources.push({ externalId, storeId, digest, unparsed, snapshot: () => read.snapshot() });
  }
  const changed = Math.floor(products / 100);
  const decideByMark = (): number => {
    let met = 0;
    sources.forEach((source, index) => {
      const link = links[index];
      const isMarked = link === undefined || markOfRead(source.digest, BASIS) === link.readMark;
      if (!isMarked && planProduct(source.snapshot(), link, rules, new Set()).kind !== 'unchanged') met += 1;
    });
    return met;
  };
  const rate = async (expected: number, find: () => number | Promise<number>): Promise<number> => {
    const began = performance.now();
    const found = await find();
    if (found !== expected) throw new Error(`${String(found)} products were found, not ${String(expected)}`);
    return products / ((performance.now() - began) / 1000);
  };
  const thread = new FingerprintThread(SILENT_LOGGER, [THREAD]);
  thread.enter();
  if (availableParallelism() > 1) await until('the thread has started', () => thread.isReady);
  const ways = {
    byMark: () => rate(changed, decideByMark),
    json: () => rate(products, () => parseJson(sources)),
    alone: () => rate(changed, () => parseAll(sources, links, null)),
    parsed: () => rate(changed, () => parseAll(sources, links, thread)),
  };
  // The code of both threads is compiled while it is used.
  for (const way of Object.values(ways)) await way();
  const taken = {
    byMark: [] as number[],
    json: [] as number[],
    alone: [] as number[],
    parsed: [] as number[],
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    taken.byMark.push(await ways.byMark());
    taken.json.push(await ways.json());
    taken.alone.push(await ways.alone());
    taken.parsed.push(await ways.parsed());
  }
  await thread.leave();
  const [figure, floor] = [middleOf(taken.byMark), middleOf(taken.json)];
  const [alone, parsed] = [middleOf(taken.alone), middleOf(taken.parsed)];
  log(
    `planning: ${endsOf(taken.byMark)}, parsed ${endsOf(taken.parsed)}, by one thread ${endsOf(taken.alone)}, JSON ${endsOf(taken.json)}`,
  );
  return [
    {
      row: '8',
      work: 'planning alone, one product in a hundred changed',
      figure,
      unit: 'products/s',
      floor: null,
      floorIs: '',
      goal: `at least ${GOAL.toLocaleString('en-US')}`,
      reached: figure >= GOAL,
    },
    {
      row: '8b',
      work: 'the same where every product has to be parsed and compared, by both threads of the daemon',
      figure: parsed,
      unit: 'products/s',
      floor,
      floorIs: FLOOR_IS,
      goal: `at least ${GOAL_PARSED.toLocaleString('en-US')}`,
      reached: parsed >= GOAL_PARSED,
    },
    {
      row: '8c',
      work: 'the same by one thread',
      figure: alone,
      unit: 'products/s',
      floor,
      floorIs: FLOOR_IS,
      goal: '–',
      reached: null,
    },
  ];
}

/** The least and the greatest. */
function endsOf(rates: readonly number[]): string {
  return `${Math.min(...rates).toFixed(0)}/s to ${Math.max(...rates).toFixed(0)}/s`;
}

/** The floor of parsing: each line becomes an object, and nothing is checked, compared or kept. Returns the number of products. */
function parseJson(sources: readonly SourceProduct[]): number {
  let products = 0;
  for (const { unparsed } of sources) {
    const lines = Buffer.from(unparsed?.bytes ?? []).toString();
    for (const line of lines.split('\n')) {
      const { __typename: kind } = JSON.parse(line) as { readonly __typename?: string };
      if (kind === 'Product') products += 1;
    }
  }
  return products;
}

/** Plans every product as a run does, batch by batch. Returns how many changed. */
async function parseAll(
  sources: readonly SourceProduct[],
  links: readonly LinkRow[],
  thread: FingerprintThread | null,
): Promise<number> {
  const settings = benchSettings(SHOP);
  const store = { settings, rules: benchRules(SHOP), generatedFields: new Set<never>() };
  const known = new Map(links.map((link) => [link.externalId, link]));
  const fingerprints = new RunFingerprints(thread, store);
  const findings = new Findings();
  const tally = { read: 0, seen: 0, unchanged: 0 };
  const plan = (batch: MetBatch): Promise<void> =>
    planMet(store, batch, () => Promise.resolve(known), findings, tally);
  let before: MetBatch | null = null;
  for (let from = 0; from < sources.length; from += BATCH) {
    const batch = sources.slice(from, from + BATCH);
    const moved = new Map(links.slice(from, from + BATCH).map((link) => [link.externalId, link]));
    const offered = fingerprints.offer(batch, moved);
    if (before !== null) await plan(before);
    before = { batch, marks: new Map(), met: { met: batch.length, moved }, offered };
  }
  if (before !== null) await plan(before);
  await fingerprints.end();
  return findings.changes.length;
}
