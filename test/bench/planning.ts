import type { LinkView } from '../../src/planner/plan-product.js';
import { markOfRead, planProduct } from '../../src/planner/plan-product.js';
import { fieldHashes } from '../../src/planner/map-to-catalog.js';
import type { SourceProduct } from '../../src/domain/store-port.js';
import type { Log } from './run-benches.js';
import { benchProduct, benchRules } from './seed.js';
import type { Figure } from './table.js';

const SHOP = 'planning.myshopify.com';
const BASIS = 'bench';
const GOAL = 200_000;
const GOAL_PARSED = 100_000;

interface Known extends LinkView {
  readonly readMark: string | null;
}

/** Work 8: decisions alone, of products that an export showed, one in a hundred changed. */
export function benchPlanning(products: number, log: Log): Promise<Figure[]> {
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
    const { externalId, storeId, digest } = read;
    sources.push({ externalId, storeId, digest, snapshot: () => read.snapshot() });
  }
  const rate = (decide: (source: SourceProduct, link: Known) => boolean, changed: number): number => {
    const began = performance.now();
    let met = 0;
    sources.forEach((source, index) => {
      const link = links[index];
      if (link !== undefined && decide(source, link)) met += 1;
    });
    if (met !== changed)
      throw new Error(`${String(met)} products are planned, of ${String(changed)} that changed`);
    return products / ((performance.now() - began) / 1000);
  };
  const decideByMark = (source: SourceProduct, link: Known): boolean =>
    markOfRead(source.digest, BASIS) !== link.readMark &&
    planProduct(source.snapshot(), link, rules, new Set()).kind !== 'unchanged';
  const decideByValue = (source: SourceProduct, link: Known): boolean =>
    planProduct(source.snapshot(), link, rules, new Set()).kind !== 'unchanged';
  const changed = Math.floor(products / 100);
  rate(decideByMark, changed);
  const figure = rate(decideByMark, changed);
  const parsed = rate(decideByValue, changed);
  log(`planning: ${figure.toFixed(0)}/s, parsed ${parsed.toFixed(0)}/s`);
  return Promise.resolve([
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
      work: 'the same where every product has to be parsed and compared',
      figure: parsed,
      unit: 'products/s',
      floor: null,
      floorIs: '',
      goal: `at least ${GOAL_PARSED.toLocaleString('en-US')}`,
      reached: parsed >= GOAL_PARSED,
    },
  ]);
}
