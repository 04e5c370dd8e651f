import { BULK_STATES, type BulkChangeSummary } from '../../operations/bulk-changes.js';
import type { Page } from '../../operations/paging.js';
import { amount, badge, moment, words } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import { messages } from '../messages.js';
import type { Visitor } from '../session.guard.js';
import { withoutAbsent } from '../write-back-query.js';
import { bulkTitle } from './bulk.js';
import { list, LIST_KEYS, storeAndDays, type GivenFilter } from './list.js';

/** The filter of the list, and what stands around it. */
export interface BulkList {
  readonly given: GivenFilter;
  /** Bulk changes of each state that match the rest of the filter. */
  readonly counts: Readonly<Record<string, number>>;
  readonly stores: readonly string[];
}

/** The changes of all that a filter selects, newest first. */
export function bulkListPage(
  visitor: Visitor,
  changes: Page<BulkChangeSummary>,
  { given, counts, stores }: BulkList,
): string {
  return page(visitor, {
    title: messages.bulkChanges,
    section: 'journal',
    keys: LIST_KEYS,
    body: html`<p class="crumbs"><a href="/journal" data-key="u">Journal</a></p>
      <h1>${messages.bulkChanges}</h1>
      <p>${messages.bulkIntro}</p>
      ${list({
        path: '/bulk',
        given,
        tabs: { name: 'state', values: BULK_STATES, counts },
        fields: [{ name: 'search', label: messages.bulkSearch }, ...storeAndDays(stores)],
        page: changes,
        heads: ['Change', 'State', 'Requested', 'Write-backs'],
        row,
        none: { yet: messages.noBulkYet, matching: messages.noBulk },
      })}`,
  });
}

function row(change: BulkChangeSummary): Html {
  const { id, state, filter, actor, createdAt, matching, done, refused, dryRun, reason } = change;
  const selected = Object.entries(withoutAbsent(filter)).map(
    ([name, value]) => `${words(name)} ${name === 'state' || name === 'outcome' ? words(value) : value}`,
  );
  const count = dryRun ? messages.dryRunCounts : messages.bulkCounts;
  return html`<tr data-row>
    <th scope="row">
      <a href="/bulk/${id}">${bulkTitle(change)}</a> <span class="quiet">${selected.join(', ')}</span>
    </th>
    <td>${badge(state)}</td>
    <td data-label="Requested">${moment(createdAt)} <span class="quiet">${actor}</span></td>
    <td>
      ${count(amount(done), amount(matching))}${refused > 0 && `, ${messages.leftAsIs(refused)}`}
      ${reason !== null && html`<p class="problem">${reason}</p>`}
    </td>
  </tr>`;
}
