import { BULK_STATES, type BulkChangeSummary } from '../../operations/bulk-changes.js';
import type { Page } from '../../operations/paging.js';
import { words } from '../../operations/state-words.js';
import { amount, badge, moment } from '../elements.js';
import { html, type Html } from '../html.js';
import type { Visitor } from '../visit.js';
import { withoutAbsent } from '../write-back-query.js';
import { BULK_CHANGES, bulkTitle, leftAsIs } from './bulk.js';
import { listPage, storeAndDays, type ListFrame } from './list.js';

/** The changes of all that a filter selects, newest first. */
export function bulkListPage(
  visitor: Visitor,
  changes: Page<BulkChangeSummary>,
  { given, counts, stores }: ListFrame,
): string {
  return listPage(visitor, {
    title: BULK_CHANGES,
    section: 'bulk',
    crumbs: html`<p class="crumbs"><a href="/journal" data-key="u">Journal</a></p>`,
    lead: html`<p>Changes of all texts that matched a filter, and dry runs of reverts.</p>`,
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
  });
}

function row(change: BulkChangeSummary): Html {
  const { id, state, filter, actor, createdAt, matching, done, refused, dryRun, reason } = change;
  const selected = Object.entries(withoutAbsent(filter)).map(
    ([name, value]) => `${words(name)} ${name === 'state' || name === 'outcome' ? words(value) : value}`,
  );
  return html`<tr data-row>
    <th scope="row">
      <a href="/bulk/${id}">${bulkTitle(change)}</a> <span class="quiet">${selected.join(', ')}</span>
    </th>
    <td>${badge(state)}</td>
    <td data-label="Requested">${moment(createdAt)} <span class="quiet">${actor}</span></td>
    <td>
      ${amount(done)} of ${amount(matching)}
      ${dryRun ? 'would be restored' : 'changed'}${refused > 0 && `, ${leftAsIs(refused)}`}
      ${reason !== null && html`<p class="problem">${reason}</p>`}
    </td>
  </tr>`;
}
