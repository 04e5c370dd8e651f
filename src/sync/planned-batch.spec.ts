import { describe, expect, it } from '@jest/globals';
import { SHOP, snapshot } from '../../test/support/product-snapshots.js';
import { storeSchema } from '../config/store-schema.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import type { SourceProduct } from '../domain/store-port.js';
import type { LinkRow } from '../persistence/plan-rows.js';
import { fieldHashes, toCatalogBody } from '../planner/map-to-catalog.js';
import { sourceFingerprint, sourceRules } from '../planner/source.js';
import { Findings, planBatch } from './planned-batch.js';

const settings = storeSchema.parse({ workspace: 'default', shop: SHOP, auth: { accessToken: 'token' } });
const store = {
  settings,
  rules: sourceRules(SHOP, settings.mapping, settings.writeBack),
  generatedFields: new Set<never>(),
};

/** The link of a product whose present source was pushed, or an earlier one. */
function linkOf(product: ProductSnapshot, isPushed: boolean): LinkRow {
  const pushed = isPushed ? product : { ...product, title: 'An earlier title' };
  return {
    externalId: product.externalId,
    state: 'linked',
    catalogId: '7',
    sourceFingerprint: sourceFingerprint(pushed, store.rules),
    pushedFields: fieldHashes(toCatalogBody(pushed, store.rules)),
    written: null,
    withheld: [],
    creating: false,
    writing: false,
    goneFromCatalog: false,
    isElsewhere: false,
  };
}

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

  it('plans what is new or differs, and each product once', async () => {
    const [same, edited, added] = [snapshot(1), snapshot(2), snapshot(3)];
    const fresh = new Map([
      [same.externalId, linkOf(same, true)],
      [edited.externalId, linkOf(edited, false)],
      [added.externalId, null],
    ]);
    const findings = new Findings();
    const tally = { read: 0, seen: 0, unchanged: 0 };
    const batch = [same, edited, { ...edited, title: 'Shown again' }, added, snapshot(4)].map(source);
    await planBatch(store, batch, fresh, findings, tally);
    expect(findings.changes).toMatchObject([
      { kind: 'update', externalId: edited.externalId, fields: ['name'] },
      { kind: 'create', externalId: added.externalId },
    ]);
    expect(tally).toEqual({ read: 3, seen: 3, unchanged: 1 });
  });

  it('puts nothing off with a write-back that waits and has changed nothing, and what looks changed beside one', async () => {
    const [same, edited] = [snapshot(1), snapshot(2)];
    const fresh = new Map([
      [same.externalId, { ...linkOf(same, true), writing: true }],
      [edited.externalId, { ...linkOf(edited, false), writing: true }],
    ]);
    const findings = new Findings();
    await planBatch(store, [same, edited].map(source), fresh, findings, { read: 0, seen: 0, unchanged: 0 });
    expect(findings.putOff).toMatchObject([{ externalId: edited.externalId, code: 'being_written' }]);
    expect(findings.changes).toEqual([]);
  });
});
