import { DELIVERY_STATES, type DeliveryDetail, type DeliverySummary } from '../../operations/deliveries.js';
import type { Page } from '../../operations/paging.js';
import {
  actionForm,
  amount,
  badge,
  factList,
  moment,
  nameOf,
  pathTo,
  productPath,
  sentence,
} from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../visit.js';
import { REST_OMITTED } from './bulk.js';
import { ALL_ON_PAGE, LIST_KEYS, listPage, storeAndDays, type ListFrame } from './list.js';

/** The displayed characters of a body. */
const BODY_SHOWN = 60_000;

export function deliveriesPage(
  visitor: Visitor,
  deliveries: Page<DeliverySummary>,
  { given, counts, stores }: ListFrame,
): string {
  const back = pathTo('/deliveries', { ...given, offset: deliveries.offset });
  return listPage(visitor, {
    title: 'Deliveries',
    section: 'deliveries',
    keys: visitor.session.role === 'admin' ? [...LIST_KEYS, ['x', 'choose']] : LIST_KEYS,
    given,
    tabs: { name: 'state', values: DELIVERY_STATES, counts },
    fields: [{ name: 'search', label: 'Title, ID or outcome' }, ...storeAndDays(stores)],
    page: deliveries,
    heads: ['', 'Delivery', 'State', 'Received', 'Product and outcome'],
    row,
    none: {
      yet: 'No deliveries yet. They arrive when content is generated: start a sync on the overview.',
      matching: 'No deliveries match this filter.',
    },
    around: (table) =>
      html`<form method="post" action="/deliveries/replay">
        <input type="hidden" name="back" value="${back}" />
        <div class="actions">
          <label><input type="checkbox" data-choose-all /> ${ALL_ON_PAGE}</label>
          <button>Replay selected</button>
        </div>
        ${table}
      </form>`,
  });
}

function row(delivery: DeliverySummary): Html {
  const name = delivery.action ?? 'unreadable';
  return html`<tr data-row>
    <td>
      <input
        type="checkbox"
        name="id"
        value="${delivery.id}"
        aria-label="Choose ${name}, ${productOf(delivery) ?? 'no product'}, ${delivery.receivedAt}"
      />
    </td>
    <th scope="row"><a href="/deliveries/${delivery.id}">${name}</a></th>
    <td>${deliveryBadge(delivery)}</td>
    <td data-label="Received">${moment(delivery.receivedAt)} by ${delivery.via}</td>
    <td>
      ${productLink(delivery)}
      <span class="quiet">${sentence(delivery.note)}</span>
    </td>
  </tr>`;
}

type ItsProduct = Pick<DeliverySummary, 'externalId' | 'label'>;

function productOf({ externalId, label }: ItsProduct): string | null {
  return externalId === null ? null : nameOf(label, externalId);
}

function productLink({ externalId, label }: ItsProduct): Html {
  return externalId === null
    ? html``
    : html`<a href="${productPath(externalId)}" title="${externalId}">${nameOf(label, externalId)}</a>`;
}

function productFact({ externalId, label }: ItsProduct): Html {
  if (externalId === null) return html`–`;
  return html`${productLink({ externalId, label })}
  ${label !== null && html`<span class="quiet">${externalId}</span>`}`;
}

/** A delivery of a generation without content was processed well, but it is no success. */
export function deliveryBadge({ state, action }: Pick<DeliverySummary, 'state' | 'action'>): Html {
  const reportsFailure = state === 'processed' && action !== 'product_generated';
  return reportsFailure ? html`<span class="badge warn">${state}</span>` : badge(state);
}

export function deliveryPage(visitor: Visitor, delivery: DeliveryDetail): string {
  const body = delivery.text ?? JSON.stringify(delivery.body, null, 2);
  const isWhole =
    delivery.text === null ? body.length <= BODY_SHOWN : Buffer.byteLength(body) >= delivery.bytes;
  return page(visitor, {
    title: 'Delivery',
    section: 'deliveries',
    body: html`<p class="crumbs"><a href="/deliveries" data-key="u">Deliveries</a></p>
      <div class="head">
        <h1>${delivery.action ?? 'Unreadable delivery'}</h1>
        ${actionForm('/deliveries/replay', 'Replay', '', { id: delivery.id, back: `/deliveries/${delivery.id}` })}
      </div>
      <p>${deliveryBadge(delivery)} ${delivery.note}</p>
      ${factList(
        [
          ['Id', delivery.id],
          ['Workspace', delivery.workspace],
          ['Came by', delivery.via],
          ['Received', moment(delivery.receivedAt)],
          ['Settled', moment(delivery.settledAt)],
          ['Attempts', delivery.attempts],
          ['Product', productFact(delivery)],
          ['Task', delivery.taskId ?? '–'],
        ],
        'card',
      )}
      <h2>Headers</h2>
      ${factList(Object.entries(delivery.headers), 'card')}
      <h2>Body</h2>
      <p class="quiet">${amount(delivery.bytes)} bytes${delivery.text !== null && ', shown as text'}</p>
      <pre tabindex="0" role="region" aria-label="Body">${body.slice(0, BODY_SHOWN)}</pre>
      ${!isWhole && html`<p class="quiet">${REST_OMITTED}</p>`}`,
  });
}
