import type { Page } from '../../operations/paging.js';
import {
  CONTENT_FILTERS,
  LINK_STATES,
  type ListedProduct,
  type TimelineEntry,
} from '../../operations/products.js';
import type { WriteBackField } from '../../operations/present-write-back.js';
import { badge, moment, nameOf, nothing, productPath, sentence, words } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../session.guard.js';
import { thumbnail } from '../thumbnails.js';
import { list, LIST_KEYS, rowTable, type GivenFilter } from './list.js';
import { holderLinks } from './withheld.js';

/** The filter of the list, and what stands around it. */
export interface ProductList {
  readonly given: GivenFilter;
  /** Products of each state that match the rest of the filter. */
  readonly counts: Readonly<Record<string, number>>;
  readonly stores: readonly string[];
  readonly images: ReadonlyMap<string, string>;
}

export function productsPage(
  visitor: Visitor,
  products: Page<ListedProduct>,
  { given, counts, stores, images }: ProductList,
): string {
  return page(visitor, {
    title: 'Products',
    section: 'products',
    keys: LIST_KEYS,
    body: html`<h1>Products</h1>
      ${list({
        path: '/products',
        given,
        tabs: { name: 'state', values: LINK_STATES, counts },
        fields: [
          { name: 'search', label: 'Title, handle, external_id, SKU or barcode' },
          { name: 'store', label: 'Store', options: stores },
          { name: 'content', label: 'Content', options: CONTENT_FILTERS },
        ],
        page: products,
        heads: ['Product', 'State', 'Store', 'Reason'],
        row: (product) => productRow(product, images.get(product.externalId)),
        none: {
          yet: 'No products yet. Run the first sync from the overview.',
          matching: 'No products match this filter.',
        },
      })}`,
  });
}

function productRow(
  { externalId, label, state, store, standing, withheld }: ListedProduct,
  image: string | undefined,
): Html {
  return html`<tr data-row>
    <th scope="row">
      <div class="named">
        ${thumbnail(image)} <a href="${productPath(externalId)}">${nameOf(label, externalId)}</a>
      </div>
    </th>
    <td>${badge(state)}</td>
    <td data-label="Store">${store}</td>
    <td class="quiet">${sentence(standing)} ${holderLinks(withheld)}</td>
  </tr>`;
}

/** The results of a search with no match or with several. */
export function foundPage(visitor: Visitor, name: string, found: readonly string[]): string {
  return page(visitor, {
    title: 'Products',
    section: 'products',
    keys: LIST_KEYS,
    body: html`<h1>Products</h1>
      ${search(name)}
      ${
        found.length === 0
          ? nothing(`No product has the external_id, SKU, barcode or handle “${name}”.`)
          : html`<h2>${found.length} products match “${name}”</h2>
              ${rowTable(
                ['Product'],
                found,
                (id) =>
                  html`<tr data-row>
                    <th scope="row"><a href="${productPath(id)}">${id}</a></th>
                  </tr>`,
              )}`
      }`,
  });
}

function search(value: string): Html {
  return html`<form class="search" role="search" aria-label="Products" action="/products">
    <label for="name">external_id, SKU, barcode or handle</label>
    <input id="name" name="name" type="search" value="${value}" data-key="/" />
    <button>Find</button>
  </form>`;
}

export function timelineItem(entry: TimelineEntry): Html {
  const path = pathOf(entry);
  return html`<li class="${entry.kind}">
    <p>${moment(entry.at)} <span class="badge calm">${entry.kind}</span></p>
    <p class="what">${path === null ? entry.what : html`<a href="${path}">${entry.what}</a>`}</p>
    ${entry.reason !== null && html`<p class="quiet">${entry.reason}</p>`}
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
    <code>${target}</code>
    ${outcome === null ? 'intended' : words(outcome)}${reason !== null && `: ${reason}`}
  </li>`;
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
