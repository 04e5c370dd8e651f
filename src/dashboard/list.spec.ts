import { describe, expect, it } from '@jest/globals';
import type { Role } from '../api/access.js';
import { pager, sentence } from './elements.js';
import { html } from './html.js';
import { deliveriesPage } from './views/deliveries.js';
import { list, storeAndDays, type ListView } from './views/list.js';
import { reviewPage } from './views/review.js';
import type { Visitor } from './visit.js';

const ROWS = ['Lamp', '<b>Chair</b>'];

/** The list with each stretch of white space as one space. */
function shown(over: Partial<ListView<string>> = {}): string {
  const view: ListView<string> = {
    path: '/things',
    given: {},
    tabs: {
      name: 'state',
      values: ['linked', 'pending_review'],
      counts: { linked: 1200, pending_review: 3 },
    },
    fields: [{ name: 'search', label: 'Text' }, ...storeAndDays(['main', 'outlet'])],
    page: { items: ROWS, total: 120, limit: 50, offset: 0 },
    heads: ['', 'Thing'],
    row: (row) =>
      html`<tr data-row>
        <td></td>
        <th scope="row">${row}</th>
      </tr>`,
    none: { yet: 'Nothing yet.', matching: 'Nothing matches.' },
    ...over,
  };
  return list(view).text.replaceAll(/\s+/g, ' ').replaceAll(/ ?> ?/g, '>').replaceAll(/ ?< ?/g, '<');
}

describe('a list', () => {
  it('has column heads, and escapes what its rows say', () => {
    expect(shown()).toContain('<thead><tr><td></td><th scope="col">Thing</th></tr></thead>');
    expect(shown()).toContain('<th scope="row">&lt;b&gt;Chair&lt;/b&gt;</th>');
  });

  it('has a tab for each state with its count, and one for all', () => {
    const page = shown({ given: { state: 'linked', search: 'lamp' } });
    expect(page).toContain('href="/things?search=lamp">all<span class="count">1,203</span>');
    expect(page).toContain('aria-current="true">in the catalog<span class="count">1,200</span>');
    expect(page).toContain(
      'state=pending_review&amp;search=lamp">waits for review<span class="count">3</span>',
    );
  });

  it('shows the given filter in its form, keeps the tab, and offers to remove the filter', () => {
    const page = shown({ given: { state: 'linked', search: '"x"', store: 'outlet', to: '2026-11-02' } });
    expect(page).toContain('<input type="hidden" name="state" value="linked" />');
    expect(page).toContain('name="search" value="&quot;x&quot;"');
    expect(page).toContain('<option value="outlet" selected>outlet</option>');
    expect(page).toContain('type="date" name="to" value="2026-11-02"');
    expect(page).toContain('<a href="/things?state=linked">Remove the filter</a>');
    expect(shown({ given: { state: 'linked' } })).not.toContain('Remove the filter');
  });

  it('folds what is seldom filtered by, unless it is filtered by', () => {
    const fields = [{ name: 'run', label: 'Run', type: 'text', isExtra: true }] as const;
    expect(shown({ fields })).toContain('<details class="extra">');
    expect(shown({ fields, given: { run: 'r1' } })).toContain('<details class="extra" open>');
  });

  it('without rows says why: nothing is there yet, or nothing matches', () => {
    const page = { items: [], total: 0, limit: 50, offset: 0 };
    expect(shown({ page })).toContain('Nothing yet.');
    expect(shown({ page, given: { state: 'linked' } })).toContain('Nothing matches.');
    expect(shown({ page })).not.toContain('<table');
  });

  it('stands in the form that chooses its rows', () => {
    const page = shown({ around: (table) => html`<form>${table}</form>` });
    expect(page).toMatch(/<form><table class="list">.*<\/table><\/form>/);
  });
});

const pagerText = (total: number, offset: number): string =>
  pager({ total, limit: 50, offset }, (at) => `/runs?offset=${String(at)}`).text.replaceAll(/\s+/g, ' ');

describe('the pager of a list', () => {
  it('leads from a page past the end to the last one', () => {
    const text = pagerText(120, 5_000);
    expect(text).toContain('href="/runs?offset=100"');
    expect(text).toContain('past the end of the list, which has 120 entries');
    expect(pagerText(1, 50)).toContain('past the end of the list, which has one entry.');
  });

  it.each([
    [100, 50, '51–100 of 100', 'href="/runs?offset=0"'],
    [120, 0, '1–50 of 120', 'href="/runs?offset=50"'],
  ])('of %i entries says at offset %i: %s', (total, offset, position, link) => {
    expect(pagerText(total, offset)).toContain(position);
    expect(pagerText(total, offset)).toContain(link);
  });

  it('of a full last page names no page after it', () => {
    expect(pagerText(100, 50)).not.toContain('Next');
    expect(pagerText(100, 100)).toContain('past the end');
  });

  it('of an empty list is absent', () => {
    expect(pagerText(0, 0)).toBe('');
  });
});

const visitor = (role: Role): Visitor => ({
  session: { id: 's', name: 'ann', role, expiresAtMs: 1, usedAtMs: 0 },
  notice: null,
});
const none = { items: [], total: 0, limit: 50, offset: 0 };
const deliveries = (role: Role): string =>
  deliveriesPage(visitor(role), none, { given: {}, counts: {}, stores: [] });
const review = (role: Role): string =>
  reviewPage(visitor(role), none, new Map(), {
    ...{ given: {}, stores: [], last: null },
    images: new Map(),
    objections: new Map(),
  });

describe('the keys that a page names', () => {
  it('are those for choosing deliveries only for an admin, who alone may replay them', () => {
    const named = (['viewer', 'reviewer', 'admin'] as const).map((role) =>
      deliveries(role).includes('</kbd> choose'),
    );
    expect(named).toEqual([false, false, true]);
  });

  it('are those for decisions only for those who may decide', () => {
    const named = (['viewer', 'reviewer', 'admin'] as const).map((role) =>
      review(role).includes('</kbd> choose'),
    );
    expect(named).toEqual([false, true, true]);
  });
});

describe('a sentence of a use case', () => {
  it('shows its times as every other time', () => {
    const text = sentence('reverted at 2026-11-22T22:38:19.636Z: <by hand>').text;
    expect(text).toContain(
      '<time datetime="2026-11-22T22:38:19.636Z" data-moment>2026-11-22 22:38:19 UTC</time>',
    );
    expect(text).toMatch(/^reverted <time /);
    expect(sentence('no answer; next try at 2026-11-22T15:17:58.000Z').text).toBe(
      'no answer; next try at <time datetime="2026-11-22T15:17:58.000Z" data-clock>15:17 UTC</time>',
    );
    expect(text).toContain(': &lt;by hand&gt;');
  });

  it('may be absent', () => {
    expect(sentence(null).text).toBe('');
  });
});
