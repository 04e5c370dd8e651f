import type { Page } from '../../operations/paging.js';
import type { PresentedWriteBack } from '../../operations/write-backs.js';
import { badge, moment, nothing, pager, pathTo, stateTabs } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../session.guard.js';
import { revertForm, targetList, writeBackPath } from './write-back-parts.js';
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

/** The list of written and intended values. */
export function journalPage(
  visitor: Visitor,
  journal: Page<PresentedWriteBack>,
  labels: ReadonlyMap<string, string>,
  state: string | undefined,
): string {
  return page(visitor, {
    title: 'Journal',
    section: 'journal',
    keys: [
      ['j', 'next'],
      ['k', 'previous'],
      ['Enter', 'open'],
    ],
    body: html`<h1>Journal</h1>
      ${stateTabs('/journal', JOURNAL_STATES, state)}
      ${journal.items.length === 0 && nothing(messages.noWriteBacks)}
      <ul class="rows">
        ${journal.items.map((item) => row(visitor, item, labels.get(item.externalId) ?? item.externalId))}
      </ul>
      ${pager(journal, (offset) => pathTo('/journal', { state, offset }))}`,
  });
}

function row(visitor: Visitor, item: PresentedWriteBack, label: string): Html {
  const written = item.fields.filter((field) => field.outcome === 'written').map(({ target }) => target);
  return html`<li data-row>
    <p class="what"><a href="${writeBackPath(item.id)}">${label}</a></p>
    <p>${badge(item.state)} ${moment(item.revertedAt ?? item.settledAt ?? item.createdAt)}</p>
    <p class="quiet">${item.reason}${written.length > 0 && ` (${targetList(written)})`}</p>
    ${item.state === 'applied' && revertForm(visitor, item.id, label)}
  </li>`;
}
