import type { Page } from '../../operations/paging.js';
import type { PresentedWriteBack } from '../../operations/write-backs.js';
import { amount, counted, moment, nothing, pager, pathTo } from '../elements.js';
import { html, type Html } from '../html.js';
import { formToken, page } from '../layout.js';
import type { Visitor } from '../session.guard.js';
import { thumbnail } from '../thumbnails.js';
import { withoutAbsent, type PageFilter } from '../write-back-query.js';
import { bulkPath } from './bulk.js';
import { filterForm } from './filter-form.js';
import { undoBanner, type LastDecision } from './write-back-actions.js';
import { targetList, writeBackPath, type ReviewPlace } from './write-back-parts.js';
import { messages } from '../messages.js';

export interface ReviewList {
  readonly given: PageFilter;
  readonly stores: readonly string[];
  /** The visitor's last decision that can be taken back. */
  readonly last: LastDecision | null;
  /** Addresses of thumbnails by external_id. */
  readonly images: ReadonlyMap<string, string>;
}

/** The write-backs that wait for review, newest first. */
export function reviewPage(
  visitor: Visitor,
  waiting: Page<PresentedWriteBack>,
  labels: ReadonlyMap<string, string>,
  { given, stores, last, images }: ReviewList,
): string {
  const { store } = given;
  const here = pathTo('/review', { ...withoutAbsent(given), offset: waiting.offset });
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
      ['z', 'undo'],
    ],
    body: html`<h1>Review</h1>
      ${undoBanner(visitor, last, here)}
      <p>${counted(waiting.total, 'product')} ${messages.reviewIntro}</p>
      ${filterForm({ path: '/review', stores, given, isJournal: false })}
      ${
        waiting.items.length === 0
          ? waiting.total === 0 && nothing(messages.noReviews)
          : html`<form method="post" action="/review">
              ${formToken(visitor)}
              <input type="hidden" name="back" value="${here}" />
              <div class="actions sticky">
                <label><input type="checkbox" data-choose-all /> ${messages.allOnPage}</label>
                <button class="primary" name="decision" value="approve" data-key="a">Approve selected</button>
                <button class="danger" name="decision" value="reject" data-key="r">Reject selected</button>
              </div>
              <div class="actions reviewer-only">
                <a class="button" href="${bulkPath('approve', allOf(given, stores))}"
                  >${messages.approveAll(amount(waiting.total))}</a
                >
                <a class="button danger" href="${bulkPath('reject', allOf(given, stores))}"
                  >${messages.rejectAll}</a
                >
              </div>
              <ul class="rows chosen">
                ${waiting.items.map((item, index) =>
                  row(item, labels.get(item.externalId) ?? item.externalId, {
                    // The place counts rows of the store. A list of one field has other places.
                    at: given.field === undefined ? waiting.offset + index : undefined,
                    store,
                    image: images.get(item.externalId),
                  }),
                )}
              </ul>
            </form>`
      }
      ${pager(waiting, (offset) => pathTo('/review', { ...withoutAbsent(given), offset }))}`,
  });
}

/** The filter of the list. A bulk change needs one, so it names the state at least. */
function allOf(given: PageFilter, stores: readonly string[]): PageFilter {
  const [only, ...others] = stores;
  const store = given.store ?? (others.length === 0 ? only : undefined);
  return { ...given, state: 'pending_review', ...(store !== undefined && { store }) };
}

function row(
  item: PresentedWriteBack,
  label: string,
  { image, ...place }: ReviewPlace & { readonly image: string | undefined },
): Html {
  const title = item.fields.find((field) => field.target === 'title')?.intended;
  return html`<li data-row>
    <input type="checkbox" name="id" value="${item.id}" aria-label="Choose ${label}" />
    <p class="what named">${thumbnail(image)} <a href="${writeBackPath(item.id, place)}">${label}</a></p>
    <p class="quiet">${item.store} · ${moment(item.createdAt)}</p>
    <p>
      ${title !== undefined && title !== label && html`new title: <q>${title}</q>; `}
      ${targetList(item.fields.map((field) => field.target))}
    </p>
    ${item.gates.map(({ detail }) => html`<p class="verdict"><span class="badge warn">gate</span> ${detail}</p>`)}
  </li>`;
}
