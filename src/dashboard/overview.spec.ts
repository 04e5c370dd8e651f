import { describe, expect, it } from '@jest/globals';
import type { Attention } from '../operations/attention.js';
import { creditOutlook } from '../operations/credits.js';
import type { Overview, StoreLine } from '../operations/overview.js';
import type { StoreStatus } from '../operations/status.js';
import { VISITOR } from '../../test/support/visitor.js';
import { overviewPage } from './views/overview.js';
import { storePage } from './views/store.js';

const NOW = new Date('2026-11-22T12:00:00Z');
const WELL = { state: 'ok', code: null, scope: null, reason: null, since: null, nextTry: null } as const;

function line(over: Partial<StoreLine> = {}): StoreLine {
  return {
    ...{ store: 'main', shop: 'one.myshopify.com', health: WELL, problems: [], lastRun: null },
    coverage: { products: 3, withContent: 2, live: 1 },
    days: [
      { day: '2026-11-12', products: 3, withContent: 0 },
      { day: '2026-11-22', products: 3, withContent: 2 },
    ],
    ...{ nextRunAt: new Date('2026-11-23T01:00:00Z'), timezone: 'Europe/Berlin', forReview: 0, owed: 0 },
    ...over,
  };
}

/** The page with each stretch of white space as one space. */
function overview(over: Partial<Overview> = {}): string {
  const stores = over.stores?.items ?? [line()];
  const page = overviewPage(
    VISITOR,
    {
      outages: [],
      attention: [],
      work: {
        ...{ forReview: 0, awaited: 0, received: 0, ready: 0, parked: 0 },
        ...{ failedDeliveries: 0, failedWrites: 0, givenUp: 0, noSources: 0 },
      },
      stores: { items: stores, total: stores.length, limit: 25, offset: 0 },
      ...{ allStores: stores.length, isBusy: false },
      workspaces: { items: [], total: 0, limit: 20, offset: 0 },
      ...over,
    },
    {},
  );
  return page.replaceAll(/\s+/g, ' ').replaceAll(/ ?> ?/g, '>');
}

/** The words of a page. */
const words = (page: string): string => page.replaceAll(/<[^<>]*>/g, '').replaceAll(/\s+/g, ' ');

const about = (kind: Attention['kind'], over: Partial<Attention> = {}): Attention => ({
  ...{ kind, of: 'main', count: 1, detail: null, run: null },
  ...over,
});

describe('the first line of the overview', () => {
  it('says that all is well when nothing needs a person', () => {
    expect(overview()).toContain('<b>All well.</b>');
  });

  it('names what needs a person, each with its reason and one action', () => {
    const page = overview({
      attention: [
        about('store_paused', { detail: 'the store refused the credentials: <401>' }),
        about('run_failed', { run: 'r1', detail: 'limits.maxOrphanedShare' }),
        about('review_waiting', { of: null, count: 5 }),
      ],
    });
    expect(page).toContain('3 things need attention');
    expect(page).toContain('refused the credentials: &lt;401&gt;');
    expect(page).toContain('action="/stores/main/retry"');
    expect(page).toContain('<a class="button" href="/runs/r1">See the run</a');
    expect(page).toContain('5 texts wait for review.');
    expect(page).not.toContain('All well');
  });

  it('stays short: what is beyond eight things is folded', () => {
    const page = overview({ attention: Array.from({ length: 70 }, () => about('never_run')) });
    expect(page).toContain('<summary>62 more</summary>');
    expect(page).toContain('href="/?show=attention"');
    expect(page.match(/Store main has no runs yet\./g)).toHaveLength(50);
  });
});

describe('a store on the overview', () => {
  it('has its coverage as a number, a bar and a line, and each number is a link to its list', () => {
    const page = overview();
    expect(page).toContain('<a href="/products?store=main&amp;content=with">66 %</a>');
    expect(page).toContain('aria-label="2 of 3 products have generated content, 1 of them live"');
    expect(page).toContain('The share of products with content: 0 % on 2026-11-12, 66 % today');
    expect(page).toContain('href="/review?store=main"');
  });

  it('has its next run in the zone of its schedule', () => {
    expect(overview()).toMatch(/Mon,? 02:00 <span class="quiet">Europe\/Berlin<\/span>/);
  });

  it('makes the page live while a run is under way', () => {
    expect(overview({ isBusy: true })).toContain('data-under-way');
    expect(overview()).not.toContain('data-under-way');
  });
});

describe('the credits of a workspace', () => {
  const spent = [
    { workspace: 'default', day: '2026-11-15', credits: 130 },
    { workspace: 'default', day: '2026-11-22', credits: 30 },
  ];
  const workspace = (remaining: number | null) =>
    overview({
      workspaces: {
        items: [
          { workspace: 'default', pause: null, webhook: null, credits: creditOutlook(remaining, spent, NOW) },
        ],
        ...{ total: 1, limit: 20, offset: 0 },
      },
    });

  it('are shown with their burn rate, the day they run out and a chart', () => {
    const page = workspace(200);
    expect(page).toContain('<dd>20 a day</dd>');
    expect(page).toContain('2026-12-02, in 10 days');
    expect(page).toContain('Credits of default by day: 160 in thirty days');
    expect(page).toContain('<title>2026-11-22: 30</title>');
  });

  it('that do not last a day are said to last less', () => {
    expect(workspace(5)).toContain('2026-11-22, in less than a day');
  });

  it('have no end while the service has reported none', () => {
    expect(workspace(null)).not.toContain('Run out');
  });
});

function store(over: Partial<StoreStatus>): string {
  const status: StoreStatus = {
    ...{
      store: 'main',
      shop: 'one.myshopify.com',
      watermark: null,
      servedApiVersion: null,
      lastRuns: [],
      unsuccessful: [],
    },
    ...{ products: { linked: 3, orphaned: 2 }, tasks: {}, writeBacks: {}, unmappedParts: 0, gone: null },
    held: { limits: { maxWritesPerRun: 0, maxWritesPerDay: 0 }, gates: {} },
    owed: { count: 0, since: null, reasons: [] },
    health: WELL,
    ...over,
  };
  return storePage(VISITOR, {
    ...{ status, problems: [], coverage: { products: 3, withContent: 1, live: 0 }, days: [], runs: [] },
    without: { failed: 1, noSources: 2 },
    ...{ nextRunAt: NOW, schedule: { cron: '0 2 * * *', timezone: 'UTC' } },
  });
}

it('the tools of a store are hidden with the space between them from everybody but an admin', () => {
  const tools = store({}).split('id="tools"')[1]?.split('</section>')[0] ?? '';
  expect(tools).toContain('<div class="actions admin-only">');
  expect(tools.match(/class="actions/g)).toHaveLength(1);
});

it('products that runs put off are listed on the page of the store by reason, and only while there are any', () => {
  const reasons = [{ code: 'refused' as const, count: 2, reason: 'the catalog refused it' }];
  const page = store({ owed: { count: 2, since: null, reasons } });
  expect(page).toContain('Put off to the next run');
  expect(page).toContain('<li>2: the catalog refused it</li>');
  expect(store({})).not.toContain('Put off to the next run');
});

describe('products that are gone from the store', () => {
  it('are listed with deleted: report, the first few and the way to all', () => {
    const since = '2026-11-19T10:00:00.000Z';
    const product = { externalId: 'shopify:one:1', label: 'Lamp <b>', catalogId: '7', since, detail: '' };
    const page = store({ gone: { count: 2, products: [product] } });
    expect(page).toContain('2 products no longer in the store; the catalog keeps them');
    expect(page).toContain('Lamp &lt;b&gt;');
    expect(page).toMatch(/\/products\?state=orphaned&(amp;)?store=main/);
  });

  it('are not mentioned with deleted: keep', () => {
    expect(store({})).not.toContain('no longer in the store');
  });
});

it('the overview says that a store has retired the configured API version', () => {
  const attention = [about('api_version_retired', { detail: '2027-01' })];
  expect(words(overview({ attention }))).toContain(
    'Store main has retired the configured apiVersion and serves a newer one.',
  );
});
