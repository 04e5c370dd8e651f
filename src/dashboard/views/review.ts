import { plainTextOf } from '../../planner/html/plain-text.js';
import { GATES } from '../../domain/gate-finding.js';
import type { Page } from '../../operations/paging.js';
import type { PresentedWriteBack } from '../../operations/present-write-back.js';
import { words } from '../../operations/state-words.js';
import { amount, counted, excerpt, moment, pathTo } from '../elements.js';
import { html, type Html } from '../html.js';
import type { Visitor } from '../visit.js';
import { thumbnail } from '../thumbnails.js';
import type { LastDecision, Objections } from '../../operations/write-back-review.js';
import type { GivenFilter, ListPlace } from '../write-back-query.js';
import { bulkPath } from './bulk.js';
import { ALL_ON_PAGE, LIST_KEYS, listPage, storeAndDays, type ListFrame } from './list.js';
import { lastDecisionBox } from './write-back-actions.js';
import { targetList, writeBackPath } from './write-back-parts.js';
import { WRITE_BACK_SEARCH } from './journal.js';

const WAITS_SINCE = 'Waiting since';

export interface ReviewList extends Omit<ListFrame, 'counts'> {
  /** The visitor's last decision that can be undone or reverted. */
  readonly last: LastDecision | null;
  /** Addresses of thumbnails by external_id. */
  readonly images: ReadonlyMap<string, string>;
  /** What stands against each text in the live store, by id. A text that could not be looked at is absent. */
  readonly objections: ReadonlyMap<string, Objections>;
}

const DECISION_KEYS = [
  ['x', 'choose'],
  ['a', 'approve selected'],
  ['r', 'reject selected'],
  ['z', 'undo'],
] as const;

/** The write-backs that wait for review, newest first. */
export function reviewPage(
  visitor: Visitor,
  waiting: Page<PresentedWriteBack>,
  labels: ReadonlyMap<string, string>,
  { given, stores, last, images, objections }: ReviewList,
): string {
  const here = pathTo('/review', { ...given, offset: waiting.offset });
  return listPage(visitor, {
    title: 'Review',
    section: 'review',
    showsNotice: true,
    keys: visitor.session.role === 'viewer' ? LIST_KEYS : [...LIST_KEYS, ...DECISION_KEYS],
    lead: html`${lastDecisionBox(visitor, last, here)}
      <p>
        ${counted(waiting.total, 'generated text')}. Nothing is written to the store before you approve it.
      </p>`,
    given,
    fields: [
      { name: 'search', label: WRITE_BACK_SEARCH },
      ...storeAndDays(stores),
      { name: 'field', label: 'Field', type: 'text', example: 'title', isExtra: true },
      { name: 'gate', label: 'Gate', options: GATES, isExtra: true },
    ],
    page: waiting,
    heads: ['', 'Product', ...(stores.length > 1 ? ['Store'] : []), WAITS_SINCE, 'Before and after'],
    row: (item, index) =>
      row(item, labels.get(item.externalId) ?? item.externalId, {
        place: { ...given, at: waiting.offset + index },
        image: images.get(item.externalId),
        hasStores: stores.length > 1,
        objections: objections.get(item.id),
      }),
    none: {
      yet: 'No texts wait for review. Choose products under Products and generate content, or start a sync on the overview.',
      matching: 'No waiting texts match this filter.',
    },
    around: (table) =>
      html`<form method="post" action="/review">
        <input type="hidden" name="back" value="${here}" />
        <div class="actions sticky">
          <label><input type="checkbox" data-choose-all /> ${ALL_ON_PAGE}</label>
          <button class="primary" name="decision" value="approve" data-key="a">Approve selected</button>
          <button class="danger" name="decision" value="reject" data-key="r">Reject selected</button>
          ${allThatMatch(given, stores, waiting.total)}
        </div>
        ${table}
      </form>`,
  });
}

/** Links that ask whether to decide all rows that match the filter, on every page of the list. */
function allThatMatch(given: GivenFilter, stores: readonly string[], total: number): Html {
  const filter = allOf(given, stores);
  return html`<span class="more reviewer-only">
    <a class="button" href="${bulkPath('approve', filter)}">Approve all that match (${amount(total)})…</a>
    <a class="button danger" href="${bulkPath('reject', filter)}">Reject all that match…</a>
  </span>`;
}

/** The filter of the list. A bulk change needs one, so it names the state at least. */
function allOf(given: GivenFilter, stores: readonly string[]): GivenFilter {
  const [only, ...others] = stores;
  const store = given.store ?? (others.length === 0 ? only : undefined);
  return { ...given, state: 'pending_review', ...(store !== undefined && { store }) };
}

interface RowView {
  readonly place: ListPlace;
  readonly image: string | undefined;
  /** The list has stores to name. */
  readonly hasStores: boolean;
  readonly objections: Objections | undefined;
}

function row(
  item: PresentedWriteBack,
  label: string,
  { image, place, hasStores, objections }: RowView,
): Html {
  return html`<tr data-row>
    <td><input type="checkbox" name="id" value="${item.id}" aria-label="Choose ${label}" /></td>
    <th scope="row">
      <div class="named">${thumbnail(image)} <a href="${writeBackPath(item.id, place)}">${label}</a></div>
    </th>
    ${hasStores && html`<td data-label="Store">${item.store}</td>`}
    <td data-label="${WAITS_SINCE}">${moment(item.createdAt)}</td>
    <td>
      ${changeLine('Title', titleBefore(label, objections), intendedOf(item, 'title'))}
      ${changeLine('Description', objections?.before.description, descriptionOf(item))}
      <span class="quiet">${targetList(item.fields.map((field) => field.target))}</span>
      ${editedLine(objections)} ${gateLines(objections?.gates ?? item.gates)}
    </td>
  </tr>`;
}

/** The name of the product where its title in the shop was not read. */
function titleBefore(label: string, objections: Objections | undefined): string {
  const title = objections?.before.title ?? '';
  return title === '' ? label : title;
}

function intendedOf({ fields }: PresentedWriteBack, target: string): string | null {
  return fields.find((field) => field.target === target)?.intended ?? null;
}

function descriptionOf(item: PresentedWriteBack): string | null {
  const markup = intendedOf(item, 'descriptionHtml');
  return markup === null ? null : plainTextOf(markup);
}

const EXCERPT = 140;

/** One text before and after, in short; nothing when it stays as it is. */
function changeLine(name: string, before: string | undefined, after: string | null): Html {
  if (after === null || after === before) return html``;
  return html`<p class="change" dir="auto">
    <span class="quiet">${name}:</span>
    ${before !== undefined && before !== '' && html`<del>${excerpt(before, EXCERPT)}</del> `}<ins
      >${excerpt(after, EXCERPT)}</ins
    >
  </p>`;
}

/** The fields that the merchant edited since the text was generated. An approval of several texts leaves them. */
function editedLine(objections: Objections | undefined): Html {
  if (objections === undefined)
    return html`<p class="quiet">The store could not be read, so edits of the merchant are not known.</p>`;
  if (objections.edited.length === 0) return html``;
  return html`<p class="verdict">
    <span class="badge warn">edited in the shop</span> ${targetList(objections.edited)}
  </p>`;
}

function gateLines(gates: readonly { readonly gate: string; readonly detail: string }[]): Html {
  return html`${gates.map(
    ({ gate, detail }) =>
      html`<p class="verdict"><span class="badge warn">${words(gate)}</span> ${detail}</p>`,
  )}`;
}
