import { describe, expect, it } from '@jest/globals';
import { NO_COUNTS } from '../domain/run-counts.js';
import type { PresentedRun } from '../operations/present-run.js';
import type { RunItem } from '../operations/run-items.js';
import { lasting } from './elements.js';
import { VISITOR } from '../../test/support/visitor.js';
import { runPage, type RunView } from './views/run.js';

const AT = '2026-11-22T10:00:00.000Z';
const EMPTY = {
  ...{ failed: 0, planned: 0, created: 0, updated: 0, orphaned: 0, conflicted: 0, owed: 0 },
  generationRequested: 0,
};

const NO_PROGRESS = { step: null, settled: 0, planned: 0, perSecond: null, secondsLeft: null, left: 0 };
const NO_ITEMS = { items: [], total: 0, limit: 50, offset: 0, next: null, outcomes: EMPTY };
const RUNNING = { status: 'running', finishedAt: null } as const;

/** The page with each stretch of white space as one space. */
function shown(run: Partial<PresentedRun>, view: Partial<RunView> = {}): string {
  const page = runPage(VISITOR, {
    run: {
      ...{ id: 'r1', store: 'main', status: 'succeeded', kind: 'full', trigger: 'api', requestedBy: 'maria' },
      ...{ counts: NO_COUNTS, startedAt: AT, finishedAt: AT },
      ...{ error: null, stoppedByLimit: false, notes: [], steps: [] },
      requests: { catalog: 0, store: 0 },
      ...run,
    },
    stopping: false,
    changes: new Map(),
    titles: new Map(),
    credits: null,
    choice: {},
    now: new Date(AT),
    progress: NO_PROGRESS,
    texts: {},
    items: NO_ITEMS,
    ...view,
  });
  return page.replaceAll(/\s+/g, ' ');
}

function item(over: Partial<RunItem>): RunItem {
  return {
    ...{ outcome: 'updated', externalId: 'shopify:x:1', label: 'Lamp', kind: 'update' },
    ...{ reason: 'changed', fields: ['name'], at: AT },
    ...over,
  };
}

it('a run that a person cancelled is called cancelled and is not red, and a failed one is red', () => {
  const cancelled = shown({ status: 'failed', error: null, notes: ['cancelled by admin'] });
  expect(cancelled).toContain('<span class="badge calm">cancelled</span>');
  expect(cancelled).not.toContain('badge bad');
  expect(shown({ status: 'failed', error: 'the store is away' })).toContain(
    '<span class="badge bad">failed</span>',
  );
});

describe('the page of a run', () => {
  it('can cancel a run that is under way, and no other', () => {
    expect(shown({ status: 'running', finishedAt: null })).toContain('action="/runs/r1/cancel"');
    expect(shown({ status: 'running', finishedAt: null }, { stopping: true })).not.toContain('/cancel"');
    expect(shown({})).not.toContain('/cancel"');
  });

  it('runs the failures again only where there are any', () => {
    expect(shown({ status: 'partial', counts: { ...NO_COUNTS, failed: 1 } })).toContain(
      'action="/runs/r1/retry"',
    );
    expect(shown({})).not.toContain('/retry"');
  });

  it('offers a run of the same kind without the limits where a limit stopped it, and nowhere else', () => {
    const stopped = {
      kind: 'incremental',
      status: 'failed',
      error: 'stopped by limits.maxOrphanedShare',
    } as const;
    const page = shown({ ...stopped, stoppedByLimit: true });
    for (const field of ['name="force" value="true"', 'name="kind" value="changed"'])
      expect(page).toContain(field);
    expect(shown(stopped)).not.toContain('name="force"');
  });

  it('shows an error in red, and a remark not', () => {
    const page = shown({ error: 'it broke', notes: ['a limit was reached'] });
    expect(page).toContain('<p class="problem">it broke</p>');
    expect(page).toContain('<p class="quiet">a limit was reached</p>');
  });

  it('has the speed and the remaining time while changes are sent', () => {
    const progress = { ...NO_PROGRESS, step: 'apply', settled: 100, planned: 400 } as const;
    const page = shown(RUNNING, { progress: { ...progress, perSecond: 2, secondsLeft: 150 } });
    expect(page).toContain('100 of 400 changes sent, 2.0 per second, about 2 min 30 s left');
  });

  it.each([
    ['export', 'The store prepares its export', ''],
    ['plan', 'Reading the store and planning', ''],
    ['creations', 'Waiting for products that the catalog creates', 'still creating 7 products'],
    ['generation', 'Requesting content', 'Content requested for 3 of 10 products'],
  ] as const)(
    'names the step “%s” while it lasts, with what is done and what is left',
    (step, name, rest) => {
      const progress = { ...NO_PROGRESS, step, settled: 10, planned: 10, left: 7 };
      const items = { ...NO_ITEMS, outcomes: { ...EMPTY, generationRequested: 3 } };
      const page = shown(RUNNING, { progress, items });
      expect(page).toContain(`<b>${name}</b>`);
      expect(page).toContain(rest);
      expect(shown({}, { progress })).not.toContain(name);
    },
  );

  it('shows the way of its products, each number with the list of what it counts', () => {
    const counts = { ...NO_COUNTS, seen: 40, created: 5, updated: 4, generationRequested: 8, owed: 2 };
    const texts = { applied: 4, pending_review: 2, failed: 1 };
    const page = shown({ counts }, { texts });
    const steps = [...page.matchAll(/<a href="([^"]*)"><b>(\d+)<\/b> <span>([\w ]+)<\/span>/g)];
    expect(steps.map(([, path, count, name]) => [name, count, path])).toEqual([
      ['Read', '40', '/products?store=main'],
      ['Sent', '9', '/runs/r1?outcome=sent'],
      ['Requested', '8', '/runs/r1?outcome=generationRequested'],
      ['Generated', '7', '/journal?run=r1'],
      ['Written', '4', '/journal?run=r1&amp;state=applied'],
      ['Waiting', '2', '/journal?run=r1&amp;state=pending_review'],
      ['Put off', '2', '/products?store=main&amp;content=owed'],
    ]);
  });

  it('leads from texts that wait for several reasons to the list that has all of them', () => {
    expect(shown({}, { texts: { ready: 1, pending_review: 2 } })).toContain(
      '<a href="/journal?run=r1"><b>3</b> <span>Waiting</span>',
    );
  });

  it('is requested by a person, by name, or started by itself', () => {
    expect(shown({})).toContain('All products, requested by maria');
    expect(shown({ requestedBy: null, trigger: 'schedule' })).toContain('All products, by the schedule');
  });

  it('names another product by its title, as a link', () => {
    const shared = item({
      outcome: 'conflicted',
      reason: 'sku A is also used by shopify:one.myshopify.com:7',
    });
    const titles = new Map([['shopify:one.myshopify.com:7', 'Lamp <b>']]);
    const page = shown({}, { items: { ...NO_ITEMS, items: [shared], total: 1 }, titles });
    expect(page).toContain('used by <a href="/products/shopify%3Aone.myshopify.com%3A7">Lamp &lt;b&gt;</a>');
  });

  it('has its buttons in the part that changes, so that none outlasts its time', () => {
    const page = shown(RUNNING);
    expect(page.indexOf('/cancel"')).toBeGreaterThan(page.indexOf('data-live'));
  });

  it('marks what a changed field was and is, and links the product', () => {
    const items = { ...NO_ITEMS, items: [item({})], total: 1, outcomes: { ...EMPTY, updated: 1 } };
    const changes = new Map([
      ['shopify:x:1', [{ field: 'name' as const, before: 'Old lamp', after: 'New lamp' }]],
    ]);
    const page = shown({}, { items, changes });
    expect(page).toContain('<del>Old</del><ins>New</ins> lamp');
    expect(page).toContain('href="/products/shopify%3Ax%3A1"');
  });

  it('keeps filter and search in the links to other pages and in the file', () => {
    const items = { ...NO_ITEMS, items: [item({})], total: 99, outcomes: { ...EMPTY, updated: 99 } };
    const page = shown({}, { items, choice: { outcome: 'updated', search: 'lamp' } });
    for (const path of ['/runs/r1?', '/runs/r1/items.csv?'])
      expect(page).toContain(`${path}outcome=updated&amp;search=lamp`);
  });

  it('names each step with its duration, also one that has not ended', () => {
    const steps = [
      { step: 'export' as const, startedAt: AT, finishedAt: '2026-11-22T10:00:10.000Z' },
      { step: 'plan' as const, startedAt: '2026-11-22T10:00:10.000Z', finishedAt: null },
    ];
    const page = shown(
      { status: 'running', finishedAt: null, steps },
      { now: new Date('2026-11-22T10:00:40.000Z') },
    );
    expect(page).toContain('<td>10 s</td>');
    expect(page).toContain('<td>30 s</td>');
  });
});

it.each([
  [0, '0.0 s'],
  [9_940, '9.9 s'],
  [59_000, '59 s'],
  [61_000, '1 min 1 s'],
  [7_260_000, '2 h 1 min'],
])('a duration of %d ms is %s', (ms, text) => {
  expect(lasting(ms)).toBe(text);
});
