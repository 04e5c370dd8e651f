import type { Page } from '../../operations/paging.js';
import type { PresentedWriteBack } from '../../operations/write-backs.js';
import { counted, moment, nothing, pager, pathTo } from '../elements.js';
import { html, type Html } from '../html.js';
import { formToken, page } from '../layout.js';
import type { Visitor } from '../session.guard.js';
import { targetList, writeBackPath } from './write-back-parts.js';
import { messages } from '../messages.js';

/** The write-backs that wait for review, newest first. */
export function reviewPage(
  visitor: Visitor,
  waiting: Page<PresentedWriteBack>,
  labels: ReadonlyMap<string, string>,
  store: string | undefined,
): string {
  return page(visitor, {
    title: 'Review',
    section: 'review',
    keys: [
      ['j', 'next'],
      ['k', 'previous'],
      ['x', 'choose'],
      ['Enter', 'open'],
      ['a', messages.approveChosen],
      ['r', messages.rejectChosen],
    ],
    body: html`<h1>Review</h1>
      <p>${counted(waiting.total, 'product')} ${messages.reviewIntro}</p>
      ${
        waiting.items.length === 0
          ? nothing(messages.noReviews)
          : html`<form method="post" action="/review">
              ${formToken(visitor)}
              <input
                type="hidden"
                name="back"
                value="${pathTo('/review', { store, offset: waiting.offset })}"
              />
              <div class="actions">
                <label><input type="checkbox" data-choose-all /> ${messages.allOnPage}</label>
                <button class="primary" name="decision" value="approve" data-key="a">Approve selected</button>
                <button class="danger" name="decision" value="reject" data-key="r">Reject selected</button>
              </div>
              <ul class="rows chosen">
                ${waiting.items.map((item, index) =>
                  row(item, labels.get(item.externalId) ?? item.externalId, waiting.offset + index, store),
                )}
              </ul>
            </form>`
      }
      ${pager(waiting, (offset) => pathTo('/review', { store, offset }))}`,
  });
}

function row(item: PresentedWriteBack, label: string, at: number, store: string | undefined): Html {
  const title = item.fields.find((field) => field.target === 'title')?.intended;
  return html`<li data-row>
    <input type="checkbox" name="id" value="${item.id}" aria-label="Choose ${label}" />
    <p class="what"><a href="${writeBackPath(item.id, { at, store })}">${label}</a></p>
    <p class="quiet">${item.store} · ${moment(item.createdAt)}</p>
    <p>
      ${title !== undefined && title !== label && html`new title: <q>${title}</q>; `}
      ${targetList(item.fields.map((field) => field.target))}
    </p>
    ${item.gates.map(({ detail }) => html`<p class="verdict"><span class="badge warn">gate</span> ${detail}</p>`)}
  </li>`;
}
