import { describe, expect, it } from '@jest/globals';
import { SHOP, snapshot } from '../../test/support/product-snapshots.js';
import { storeSchema } from '../config/store-schema.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import type { LinkBaseRow, LinkRow, MetProducts } from '../persistence/plan-rows.js';
import { fieldHashes, toCatalogBody } from '../planner/map-to-catalog.js';
import { sourceFingerprint, sourceRules } from '../planner/source.js';
import { Findings, planMet, type MetBatch, type ReadLinks } from './planned-batch.js';
import { NOTHING_OFFERED } from './run-fingerprints.js';

const settings = storeSchema.parse({ workspace: 'default', shop: SHOP, auth: { accessToken: 'token' } });
const store = {
  settings,
  rules: sourceRules(SHOP, settings.mapping, settings.writeBack),
  generatedFields: new Set<never>(),
};

const readNone: ReadLinks = () => Promise.resolve(new Map());

/** The link of a product whose present source was pushed, or an earlier one. */
function linkOf(product: ProductSnapshot, isPushed: boolean): LinkRow {
  const pushed = isPushed ? product : { ...product, title: 'An earlier title' };
  return {
    externalId: product.externalId,
    revision: '1',
    state: 'linked',
    catalogId: '7',
    sourceFingerprint: sourceFingerprint(pushed, store.rules),
    pushedFields: fieldHashes(toCatalogBody(pushed, store.rules)),
    written: null,
    withheld: [],
    creating: false,
    writing: false,
    goneFromCatalog: false,
  };
}

function withoutFields({ pushedFields: _pushedFields, ...link }: LinkRow): LinkBaseRow {
  return link;
}

function batchOf(products: readonly ProductSnapshot[], moved: MetProducts['moved']): MetBatch {
  return {
    batch: products.map((product) => ({ ...product, digest: null, snapshot: () => product })),
    marks: new Map(),
    met: { met: products.length, moved },
    offered: NOTHING_OFFERED,
  };
}

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
    const batch = batchOf(products, new Map(products.map(({ externalId }) => [externalId, null])));
    await planMet(store, batch, readNone, findings, { read: 0, seen: 0, unchanged: 0 });
    goesOn = false;
    const steps = [...plannedAtTurns, findings.size].map(
      (size, turn) => size - (plannedAtTurns[turn - 1] ?? 0),
    );
    expect(findings.changes).toHaveLength(200);
    expect(Math.max(...steps)).toBeLessThanOrEqual(50);
  });

  it('reads the fields that were pushed of changed products alone, and plans what differs', async () => {
    const [same, edited, fresh] = [snapshot(1), snapshot(2), snapshot(3)];
    const links = [linkOf(same, true), linkOf(edited, false)];
    const moved = new Map<string, LinkBaseRow | null>([
      ...links.map((link) => [link.externalId, withoutFields(link)] as const),
      [fresh.externalId, null],
    ]);
    const read: string[] = [];
    const readLinks: ReadLinks = (externalIds) => {
      read.push(...externalIds);
      return Promise.resolve(new Map(links.map((link) => [link.externalId, link])));
    };
    const findings = new Findings();
    const tally = { read: 0, seen: 0, unchanged: 0 };
    await planMet(store, batchOf([same, edited, fresh], moved), readLinks, findings, tally);
    expect(read).toEqual([edited.externalId]);
    expect(findings.changes).toMatchObject([
      { kind: 'create', externalId: fresh.externalId },
      { kind: 'update', externalId: edited.externalId, fields: '["name"]' },
    ]);
    expect(tally).toEqual({ read: 3, seen: 3, unchanged: 1 });
  });

  it('plans a product as new whose link was removed while the batch was planned', async () => {
    const product = snapshot(1);
    const moved = new Map([[product.externalId, withoutFields(linkOf(product, false))]]);
    const findings = new Findings();
    await planMet(store, batchOf([product], moved), readNone, findings, { read: 0, seen: 0, unchanged: 0 });
    expect(findings.changes).toMatchObject([{ kind: 'create', externalId: product.externalId }]);
  });
});
