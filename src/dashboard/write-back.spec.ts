import { expect, it } from '@jest/globals';
import type { Role } from '../api/access.js';
import type { GateFinding } from '../domain/gate-finding.js';
import type { PresentedWriteBack } from '../operations/present-write-back.js';
import { compareWithLive } from '../operations/write-back-comparison.js';
import { VISITOR } from '../../test/support/visitor.js';
import { markedText } from './views/write-back-parts.js';
import { writeBackPage } from './views/write-back.js';

const HELD: GateFinding[] = [
  { gate: 'numbers', target: 'title', found: '25 W', detail: '25 W: not in the source' },
  { gate: 'forbid', target: 'metafield:catalog.note', found: '<b>', detail: '“<b>” is forbidden' },
];
const value = (target: string, type: string | null = null) => ({
  target,
  type,
  value: 'Lamp, 25 W',
  from: 'name',
  raw: 'Lamp, 25 W',
});

/** A write-back that waits for review; the store could not be read. */
function pageOf(now: readonly GateFinding[] | null, role: Role = 'admin'): string {
  const intended = [value('title'), value('metafield:catalog.note', 'single_line_text_field')];
  const row: PresentedWriteBack = {
    ...{ id: 'w', store: 'main', externalId: 'shopify:s:1', deliveryId: null, runId: null },
    ...{ state: 'pending_review', version: 1, reason: null, attempts: 0, reappliedFrom: null },
    fields: intended.map(({ target, value: text }) => ({
      ...{ target, intended: text, came: null, dropped: [] },
      ...{ outcome: null, reason: null, before: null, after: null },
    })),
    ...{ arrived: [], declined: [], gates: HELD, sources: [], creditsConsumed: null },
    ...{ resultAt: new Date(0).toISOString(), createdAt: new Date(0).toISOString(), settledAt: null },
    ...{ revertedAt: null, decidedAt: null, decidedBy: null },
  };
  return writeBackPage(
    { ...VISITOR, session: { ...VISITOR.session, role } },
    {
      row,
      label: 'Lamp',
      image: 'https://cdn.shopify.com/a.jpg?width=96',
      isOpen: true,
      isUndoable: false,
      editable: new Set(['title']),
      findings: now,
      comparison: compareWithLive({ intended }, { problem: 'no answer' }),
      shownValues: {},
      last: null,
      place: {},
      newer: null,
      older: null,
    },
  );
}

/** The part of the page about one field. */
function about(page: string, from: string, to: string): string {
  return page.slice(page.indexOf(from), page.indexOf(to));
}

it('the findings of the gates stand beside the text, and in the row of the metafield', () => {
  const page = pageOf(null);
  expect(about(page, 'aria-label="Title"', 'id="metafields"')).toContain('25 W: not in the source');
  const metafields = about(page, 'id="metafields"', 'id="sources"');
  expect(metafields).toContain('“&lt;b&gt;” is forbidden');
  expect(metafields).not.toContain('25 W: not in the source');
});

it('the findings of the gates are those of now, where the store can be read', () => {
  expect(pageOf([])).not.toContain('not in the source');
});

it('the product’s image stands beside its name, and sends no address of the page', () => {
  expect(about(pageOf(null), '<img', '<h1')).toMatch(
    /src="https:\/\/cdn\.shopify\.com\/a\.jpg\?width=96"\s+alt=""[^>]*referrerpolicy="no-referrer"/,
  );
});

it('line ends that only one side has are no change that is marked, and words are', () => {
  const marked = markedText([
    { side: 'before', text: '\n\n' },
    { side: 'both', text: 'Lamp' },
    { side: 'before', text: '\nwhite' },
    { side: 'after', text: '  ' },
  ]);
  expect(String(marked)).toBe('\n\nLamp<del>\nwhite</del><ins>  </ins>');
});

it.each([
  ['viewer', ['next field', 'previous field', 'next', 'previous', 'back to the list']],
  [
    'reviewer',
    [
      'next field',
      'previous field',
      'accept or not',
      'approve',
      'reject',
      'next',
      'previous',
      'edit',
      'undo',
      'generate again',
      'back to the list',
    ],
  ],
] as const)('the keys that the page names to a %s are those that do something', (role, keys) => {
  const named = [...pageOf(null, role).matchAll(/<\/kbd> ([^<]+)</g)].map(([, does]) => does);
  expect(named).toEqual([...keys, 'all keys', 'search everything']);
});
