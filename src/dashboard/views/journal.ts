import { ARRIVED_FATES } from '../../domain/arrived-content.js';
import { GATES } from '../../domain/gate-finding.js';
import { FIELD_OUTCOMES } from '../../domain/write-back-journal.js';
import type { Page } from '../../operations/paging.js';
import type { PresentedWriteBack } from '../../operations/present-write-back.js';
import { badge, moment, pathTo, sentence } from '../elements.js';
import { html, type Html } from '../html.js';
import type { Visitor } from '../visit.js';
import { thumbnail } from '../thumbnails.js';
import { withoutAbsent } from '../write-back-query.js';
import { BULK_CHANGES, bulkPath, NO_WRITE_BACKS } from './bulk.js';
import { listPage, storeAndDays, type ListFrame } from './list.js';
import { askLink } from './write-back-actions.js';
import { targetList, writeBackPath } from './write-back-parts.js';

export const WRITE_BACK_SEARCH = 'Title, handle, ID, SKU or reason';
const LAST_CHANGE = 'Last change';

export const JOURNAL_STATES = [
  'applied',
  'conflicted',
  'failed',
  'skipped',
  'rejected',
  'reverted',
  'ready',
  'pending_review',
] as const;

export interface JournalList extends ListFrame {
  /** Addresses of thumbnails by external_id. */
  readonly images: ReadonlyMap<string, string>;
}

/** The list of written and intended values. */
export function journalPage(
  visitor: Visitor,
  journal: Page<PresentedWriteBack>,
  labels: ReadonlyMap<string, string>,
  { given, counts, stores, images }: JournalList,
): string {
  const { state: _state, ...others } = given;
  const back = pathTo('/journal', { ...given, offset: journal.offset });
  const isFiltered = Object.keys(withoutAbsent(others)).length > 0;
  return listPage(visitor, {
    title: 'Journal',
    section: 'journal',
    beside: html`<a href="/bulk">${BULK_CHANGES}</a>`,
    given,
    tabs: { name: 'state', values: JOURNAL_STATES, counts },
    fields: [
      { name: 'search', label: WRITE_BACK_SEARCH },
      ...storeAndDays(stores),
      { name: 'field', label: 'Field', type: 'text', example: 'title', isExtra: true },
      { name: 'outcome', label: 'Outcome', options: FIELD_OUTCOMES, isExtra: true },
      { name: 'actor', label: 'Person', type: 'text', isExtra: true },
      { name: 'gate', label: 'Gate', options: GATES, isExtra: true },
      { name: 'fate', label: 'Generated value', options: ARRIVED_FATES, isExtra: true },
      { name: 'run', label: 'Run', type: 'text', example: 'id of a run', isExtra: true },
    ],
    page: journal,
    heads: ['Product', 'State', LAST_CHANGE, 'What happened', ''],
    row: (item) =>
      row(item, {
        label: labels.get(item.externalId) ?? item.externalId,
        image: images.get(item.externalId),
        back,
      }),
    none: {
      yet: 'Nothing has been written yet. Approve texts under Review. Each text that reaches the shop appears here, and can be reverted here.',
      matching: NO_WRITE_BACKS,
    },
    actions: isFiltered
      ? html`<div class="actions reviewer-only">
          <a class="button danger" href="${bulkPath('revert', others)}">Revert all that match…</a>
          <a class="button" href="${bulkPath('reapply', others)}">Apply all again that match…</a>
        </div>`
      : undefined,
  });
}

interface RowView {
  readonly label: string;
  readonly image: string | undefined;
  /** The address of this list. The page of a row, and a confirmation, return there. */
  readonly back: string;
}

function row(item: PresentedWriteBack, { label, image, back }: RowView): Html {
  const written = item.fields.filter((field) => field.outcome === 'written').map(({ target }) => target);
  return html`<tr data-row>
    <th scope="row">
      <div class="named">
        ${thumbnail(image)} <a href="${writeBackPath(item.id, { journal: back })}">${label}</a>
      </div>
    </th>
    <td>${badge(item.state)}</td>
    <td data-label="${LAST_CHANGE}">
      ${moment(lastOf(item))} ${item.decidedBy !== null && html`<span class="quiet">${item.decidedBy}</span>`}
    </td>
    <td class="said">
      ${sentence(item.reason)}
      ${written.length > 0 && html`<span class="quiet">${targetList(written)}</span>`}
    </td>
    <td>
      ${item.state === 'applied' && askLink(item.id, 'revert', { label, back })}
      ${item.state === 'reverted' && askLink(item.id, 'reapply', { label, back })}
    </td>
  </tr>`;
}

/** The time of what happened to it last, as the list is ordered. */
function lastOf({ createdAt, settledAt, revertedAt, decidedAt }: PresentedWriteBack): string {
  return (
    [createdAt, settledAt, revertedAt, decidedAt]
      .flatMap((at) => at ?? [])
      .sort()
      .at(-1) ?? createdAt
  );
}
