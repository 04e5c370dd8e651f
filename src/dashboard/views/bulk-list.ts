import { BULK_STATES, type BulkChangeSummary } from '../../operations/bulk-changes.js';
import type { Page } from '../../operations/paging.js';
import { words } from '../../operations/state-words.js';
import { amount, badge, moment } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../visit.js';
import { withoutAbsent } from '../write-back-query.js';
import { bulkTitle } from './bulk.js';
import { list, LIST_KEYS, storeAndDays, type ListFrame } from './list.js';
import { BULK_CHANGES, leftAsIs } from './bulk.js';

const dryRunCounts = (done: string, matching: string): string => `${done} of ${matching} would be restored`;
const bulkCountsText = (done: string, matching: string): string => `${done} of ${matching} changed`;

/** The changes of all that a filter selects, newest first. */
export function bulkListPage(
  visitor: Visitor,
  changes: Page<BulkChangeSummary>,
  { given, counts, stores }: ListFrame,
): string {
  return page(visitor, {
    title: BULK_CHANGES,
    section: 'bulk',
    keys: LIST_KEYS,
    body: html`<p class="crumbs"><a href="/journal" data-key="u">Journal</a></p>
      <h1>${BULK_CHANGES}</h1>
      <p>Changes of all texts that matched a filter, and dry runs of reverts.</p>
      ${list({
        path: '/bulk',
        given,
        tabs: { name: 'state', values: BULK_STATES, counts },
        fields: [{ name: 'search', label: 'Person, reason or id' }, ...storeAndDays(stores)],
        page: changes,
        heads: ['Change', 'State', 'Requested', 'Write-backs'],
        row,
        none: {
          yet: 'No bulk changes yet. Filter the journal or the review list, then change all that match.',
          matching: 'No bulk changes match this filter.',
        },
      })}`,
  });
}

function row(change: BulkChangeSummary): Html {
  const { id, state, filter, actor, createdAt, matching, done, refused, dryRun, reason } = change;
  const selected = Object.entries(withoutAbsent(filter)).map(
    ([name, value]) => `${words(name)} ${name === 'state' || name === 'outcome' ? words(value) : value}`,
  );
  const count = dryRun ? dryRunCounts : bulkCountsText;
  return html`<tr data-row>
    <th scope="row">
      <a href="/bulk/${id}">${bulkTitle(change)}</a> <span class="quiet">${selected.join(', ')}</span>
    </th>
    <td>${badge(state)}</td>
    <td data-label="Requested">${moment(createdAt)} <span class="quiet">${actor}</span></td>
    <td>
      ${count(amount(done), amount(matching))}${refused > 0 && `, ${leftAsIs(refused)}`}
      ${reason !== null && html`<p class="problem">${reason}</p>`}
    </td>
  </tr>`;
}
