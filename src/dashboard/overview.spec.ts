import { describe, expect, it } from '@jest/globals';
import type { Status, StoreStatus } from '../operations/status.js';
import type { Visitor } from './session.guard.js';
import { overviewPage } from './views/overview.js';

const VISITOR: Visitor = {
  session: { id: 's', name: 'admin', role: 'admin', expiresAtMs: 0, usedAtMs: 0 },
  formToken: 'f',
  notice: null,
};

function overview(gone: StoreStatus['gone'], over: Partial<StoreStatus> = {}): string {
  const store: StoreStatus = {
    store: 'main',
    shop: 'one.myshopify.com',
    watermark: null,
    lastRuns: [],
    unsuccessful: [],
    products: { linked: 3, orphaned: 2 },
    tasks: {},
    writeBacks: {},
    unmappedParts: 0,
    held: { limits: { maxWritesPerRun: 0, maxWritesPerDay: 0 }, gates: {} },
    gone,
    owed: { count: 0, since: null, reasons: [] },
    health: { state: 'ok', code: null, scope: null, reason: null, since: null, nextTry: null },
    ...over,
  };
  const none = { deliveries: 0, writeBacks: 0, tasks: 0 };
  const status: Status = {
    workspaces: [],
    stores: [store],
    backlog: none,
    deadLetters: none,
    deliveries: {},
  };
  return overviewPage(VISITOR, status, [{ status: store, nextRunAt: null, runs: [] }]);
}

describe('products that runs put off', () => {
  it('are listed on the overview by reason, and only while there are any', () => {
    const reasons = [{ code: 'refused' as const, count: 2, reason: 'the catalog refused it' }];
    const page = overview(null, { owed: { count: 2, since: null, reasons } });
    expect(page).toContain('Owed to the next run');
    expect(page).toContain('<li>2: the catalog refused it</li>');
    expect(overview(null)).not.toContain('Owed to the next run');
  });
});

describe('products that are gone from the store', () => {
  it('are listed on the overview with deleted: report, the first few and the way to all', () => {
    const since = '2026-11-19T10:00:00.000Z';
    const product = { externalId: 'shopify:one:1', label: 'Lamp <b>', catalogId: '7', since, detail: '' };
    const page = overview({ count: 2, products: [product] });
    expect(page).toContain('2 products no longer in the store; the catalog keeps them');
    expect(page).toContain('Lamp &lt;b&gt;');
    expect(page).toMatch(/\/products\?state=orphaned&(amp;)?store=main/);
  });

  it('are not spoken of with deleted: keep', () => {
    expect(overview(null)).not.toContain('gone from the store');
  });
});
