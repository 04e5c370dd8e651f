import { describe, expect, it } from '@jest/globals';
import { SHOP, snapshot } from '../../test/support/product-snapshots.js';
import { storeSchema } from '../config/store-schema.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import type { SourceProduct } from '../domain/store-port.js';
import { sourceRules } from '../planner/source.js';
import { Findings, planBatch } from './planned-batch.js';

const settings = storeSchema.parse({ workspace: 'default', shop: SHOP, auth: { accessToken: 'token' } });
const store = {
  settings,
  rules: sourceRules(SHOP, settings.mapping, settings.writeBack),
  generatedFields: new Set<never>(),
};

const source = (product: ProductSnapshot): SourceProduct => ({ ...product, snapshot: () => product });

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
    const fresh = new Map(products.map(({ externalId }) => [externalId, null]));
    await planBatch(store, products.map(source), fresh, findings, { read: 0, seen: 0, unchanged: 0 });
    goesOn = false;
    const steps = [...plannedAtTurns, findings.size].map(
      (size, turn) => size - (plannedAtTurns[turn - 1] ?? 0),
    );
    expect(findings.changes).toHaveLength(200);
    expect(Math.max(...steps)).toBeLessThanOrEqual(50);
  });
});
