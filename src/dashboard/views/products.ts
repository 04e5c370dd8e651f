import type { Page } from '../../operations/paging.js';
import type { ProductState } from '../../operations/product-status-text.js';
import {
  CONTENT_FILTERS,
  LINK_STATES,
  PRODUCT_ORDERS,
  type ListedProduct,
  type TimelineEntry,
} from '../../operations/products.js';
import type { WriteBackField } from '../../operations/present-write-back.js';
import { LINK_WORDS, words } from '../../operations/state-words.js';
import { moment, nameOf, productPath, sentence } from '../elements.js';
import type { Tone } from '../../operations/state-tones.js';
import { html, type Html } from '../html.js';
import type { Visitor } from '../visit.js';
import { thumbnail } from '../thumbnails.js';
import { ALL_ON_PAGE, LIST_KEYS, listPage, storeField, type ListFrame } from './list.js';
import { withheldLines, withTitles, type Titles } from './withheld.js';
import { targetList, targetName } from './write-back-parts.js';

export interface ProductList extends ListFrame {
  readonly images: ReadonlyMap<string, string>;
  /** Titles of the products that hold a shared identifier. */
  readonly titles: Titles;
}

const SELECTION = 'selection';

export function productsPage(visitor: Visitor, products: Page<ListedProduct>, view: ProductList): string {
  const { given, counts, stores } = view;
  return listPage(visitor, {
    title: 'Products',
    section: 'products',
    keys: [...LIST_KEYS, ['x', 'choose']],
    given,
    tabs: { name: 'state', values: LINK_STATES, counts, labels: LINK_WORDS },
    fields: [
      { name: 'search', label: 'Title, handle, SKU or barcode' },
      ...storeField(stores),
      { name: 'content', label: 'Content', options: CONTENT_FILTERS },
      { name: 'sort', label: 'Order', options: PRODUCT_ORDERS, none: 'newest first' },
    ],
    page: products,
    heads: ['', 'Product', 'State', ...(stores.length > 1 ? ['Store'] : []), 'Why, and what helps'],
    row: (product) => productRow(product, view),
    none: {
      yet: 'No products yet. Start a sync on the overview.',
      matching: 'No products match this filter.',
    },
    around: (table) =>
      html`<form action="/products/generate" id="${SELECTION}">
        <div class="actions sticky admin-only">
          <label><input type="checkbox" data-choose-all /> ${ALL_ON_PAGE}</label>
          <button>Generate for selected…</button>
        </div>
        ${table}
      </form>`,
  });
}

/** The states of products in words, with their colours. */
const STANDS: Readonly<Record<ProductState, readonly [string, Tone]>> = {
  live: ['Live', 'good'],
  review: ['Waits for review', 'busy'],
  writing: ['About to be written', 'busy'],
  generating: ['Being generated', 'busy'],
  waiting: ['Waits for the next run', 'busy'],
  creating: ['Being created', 'busy'],
  shared: ['Shared SKU', 'warn'],
  no_sources: ['No sources', 'warn'],
  left: ['Left as it is', 'calm'],
  no_content: ['No content', 'calm'],
  gone: ['Gone from the store', 'calm'],
  failed: ['Failed', 'bad'],
  not_sent: ['Not sent', 'bad'],
};

export function standsBadge(stands: ProductState): Html {
  const [label, tone] = STANDS[stands];
  return html`<span class="badge ${tone}">${label}</span>`;
}

/** The one thing that helps a product on; nothing where it goes on by itself. */
export function remedyOf({
  externalId,
  stands,
  review,
}: Pick<ListedProduct, 'externalId' | 'stands' | 'review'>): Html {
  const again = html`<a class="admin-only" href="${productPath(externalId)}/generate">Generate again…</a>`;
  switch (stands) {
    case 'review':
      return html`<a href="/write-backs/${review ?? ''}">Review it</a>`;
    case 'failed':
    case 'no_content':
      return again;
    case 'no_sources':
      return html`<details>
          <summary>Tell the catalog where to read about this product</summary>
          <p>
            Put the address of a page, or a text to search by, into a metafield of the product, and name the
            metafield in <code>mapping.sourceUrl</code> or <code>mapping.referenceString</code>. Then sync it.
          </p>
        </details>
        ${again}`;
    default:
      return html``;
  }
}

function productRow(product: ListedProduct, { stores, images, titles }: ProductList): Html {
  const { externalId, label, store, standing, stands, withheld } = product;
  const name = nameOf(label, externalId);
  return html`<tr data-row>
    <td><input type="checkbox" name="id" value="${externalId}" aria-label="Choose ${name}" /></td>
    <th scope="row">
      <div class="named">
        ${thumbnail(images.get(externalId))} <a href="${productPath(externalId)}">${name}</a>
      </div>
    </th>
    <td>${standsBadge(stands)}</td>
    ${stores.length > 1 && html`<td data-label="Store">${store}</td>`}
    <td class="quiet">
      <p>${sentence(withoutRest(standing))}</p>
      ${withheldLines(withheld, titles)} ${remedyOf(product)}
    </td>
  </tr>`;
}

/** Shared identifiers and what helps stand below. */
export function withoutRest(standing: string): string {
  return standing.split(/; (?:withheld from the catalog|tell the catalog where)/)[0] ?? standing;
}

const KINDS: Readonly<Record<TimelineEntry['kind'], string>> = {
  source: 'Shop',
  link: 'Catalog',
  identity: 'Identifiers',
  run: 'Run',
  task: 'Generation',
  delivery: 'Result',
  'write-back': 'Text',
};

export function timelineItem(entry: TimelineEntry, titles: Titles): Html {
  const path = pathOf(entry);
  return html`<li class="${entry.kind}">
    <p>${moment(entry.at)} <span class="badge calm">${KINDS[entry.kind]}</span></p>
    <p class="what">${path === null ? entry.what : html`<a href="${path}">${entry.what}</a>`}</p>
    ${entry.reason !== null && html`<p class="quiet">${withTitles(reasonOf(entry), titles)}</p>`}
    ${
      entry.fields !== undefined &&
      entry.fields.length > 0 &&
      html`<ul class="plain">
        ${entry.fields.map(fieldLine)}
      </ul>`
    }
  </li>`;
}

function fieldLine({ target, outcome, reason }: WriteBackField): Html {
  return html`<li>
    ${targetName(target)}:
    ${outcome === null ? 'to be written' : words(outcome)}${reason !== null && reason !== 'generated' && ` (${reason})`}
  </li>`;
}

/** The fields of a text that arrived have names for people. */
function reasonOf({ kind, reason, fields }: TimelineEntry): string {
  return kind === 'write-back' && fields === undefined
    ? targetList((reason ?? '').split(', '))
    : (reason ?? '');
}

/** The page of an entry's row; null for catalog tasks, which have no page. */
function pathOf({ kind, id }: TimelineEntry): string | null {
  if (id === null) return null;
  switch (kind) {
    case 'source':
    case 'run':
    case 'identity':
      return `/runs/${encodeURIComponent(id)}`;
    case 'delivery':
      return `/deliveries/${encodeURIComponent(id)}`;
    case 'write-back':
      return `/write-backs/${encodeURIComponent(id)}`;
    default:
      return null;
  }
}
