import type { Page } from '../../operations/paging.js';
import type { PresentedWriteBack } from '../../operations/write-backs.js';
import { badge, moment, nothing, pager, pathTo, stateTabs } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../session.guard.js';
import { thumbnail } from '../thumbnails.js';
import { withoutAbsent, type PageFilter } from '../write-back-query.js';
import { bulkPath } from './bulk.js';
import { filterForm } from './filter-form.js';
import { askLink } from './write-back-actions.js';
import { targetList, writeBackPath } from './write-back-parts.js';
import { messages } from '../messages.js';

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

export interface JournalList {
  readonly given: PageFilter;
  readonly stores: readonly string[];
  /** Addresses of thumbnails by external_id. */
  readonly images: ReadonlyMap<string, string>;
}

/** The list of written and intended values. */
export function journalPage(
  visitor: Visitor,
  journal: Page<PresentedWriteBack>,
  labels: ReadonlyMap<string, string>,
  { given, stores, images }: JournalList,
): string {
  const { state, ...others } = given;
  const isFiltered = Object.keys(withoutAbsent(others)).length > 0;
  return page(visitor, {
    title: 'Journal',
    section: 'journal',
    keys: [
      ['j', 'next'],
      ['k', 'previous'],
      ['Enter', 'open'],
    ],
    body: html`<h1>Journal</h1>
      ${stateTabs('/journal', JOURNAL_STATES, state, withoutAbsent(others))}
      ${filterForm({ path: '/journal', stores, given, isJournal: true })}
      ${
        isFiltered &&
        html`<div class="actions reviewer-only">
          <a class="button danger" href="${bulkPath('revert', others)}">${messages.revertAll}</a>
          <a class="button" href="${bulkPath('reapply', others)}">${messages.reapplyAll}</a>
        </div>`
      }
      ${journal.total === 0 && nothing(messages.noWriteBacks)}
      <ul class="rows">
        ${journal.items.map((item) => row(item, labels.get(item.externalId) ?? item.externalId, images.get(item.externalId)))}
      </ul>
      ${pager(journal, (offset) => pathTo('/journal', { ...withoutAbsent(given), offset }))}`,
  });
}

function row(item: PresentedWriteBack, label: string, image: string | undefined): Html {
  const written = item.fields.filter((field) => field.outcome === 'written').map(({ target }) => target);
  return html`<li data-row>
    <p class="what named">${thumbnail(image)} <a href="${writeBackPath(item.id)}">${label}</a></p>
    <p>${badge(item.state)} ${moment(lastOf(item))} ${item.decidedBy}</p>
    <p class="quiet">${item.reason}${written.length > 0 && ` (${targetList(written)})`}</p>
    ${item.state === 'applied' && askLink(item.id, 'revert', label)}
    ${item.state === 'reverted' && askLink(item.id, 'reapply', label)}
  </li>`;
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
