import { describe, expect, it } from '@jest/globals';
import { SHOP, snapshot } from '../../test/support/product-snapshots.js';
import { storeSchema } from '../config/store-schema.js';
import { sourceRules } from '../planner/source.js';
import { Findings, planMet } from './planned-batch.js';

const settings = storeSchema.parse({ workspace: 'default', shop: SHOP, auth: { accessToken: 'token' } });
const store = {
  settings,
  rules: sourceRules(SHOP, settings.mapping, settings.writeBack),
  generatedFields: new Set<never>(),
};

describe('planning a batch', () => {
  it('lets other work of the process go on after every few products', async () => {
    const products = Array.from({ length: 200 }, (_, index) => snapshot(index + 1));
    const findings = new Findings();
    const plannedAtTurns: number[] = [];
    let goesOn = true;
    const otherWork = (): void => {
      plannedAtTurns.push(findings.size);
      if (goesOn) setImmediate(otherWork);
    };
    setImmediate(otherWork);
    await planMet(
      store,
      {
        batch: products.map((product) => ({ ...product, digest: null, snapshot: () => product })),
        marks: new Map(),
        met: { met: 200, moved: new Map(products.map(({ externalId }) => [externalId, null])) },
      },
      findings,
      { read: 0, seen: 0, unchanged: 0 },
    );
    goesOn = false;
    const steps = [...plannedAtTurns, findings.size].map(
      (size, turn) => size - (plannedAtTurns[turn - 1] ?? 0),
    );
    expect(findings.changes).toHaveLength(200);
    expect(Math.max(...steps)).toBeLessThanOrEqual(50);
  });
});
