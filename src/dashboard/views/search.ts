import type { SearchResult } from '../../operations/search.js';
import { amount, badge, moment, nameOf, nothing, pathTo, productPath, storePath } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../visit.js';
import { rowTable } from './list.js';

const PATHS = {
  run: '/runs/',
  'write-back': '/write-backs/',
  delivery: '/deliveries/',
  plan: '/plans/',
  report: '/reports/',
} as const;

/** The address of the only result; null when there are several, or none. */
export function onlyResult({ stores, products, productTotal, rows }: SearchResult): string | null {
  if (stores.length + productTotal + rows.length !== 1) return null;
  const [[store], [product], [row]] = [stores, products, rows];
  if (store !== undefined) return storePath(store.store);
  if (product !== undefined) return productPath(product.externalId);
  return row === undefined ? null : `${PATHS[row.kind]}${row.id}`;
}

export function searchPage(visitor: Visitor, text: string, result: SearchResult): string {
  const { stores, products, productTotal, rows } = result;
  const isEmpty = stores.length + products.length + rows.length === 0;
  return page(visitor, {
    title: 'Search',
    section: null,
    search: text,
    keys: [
      ['j', 'next'],
      ['k', 'previous'],
      ['Enter', 'open'],
    ],
    body: html`<h1>${text === '' ? 'Search' : `Results for “${text}”`}</h1>
      ${text === '' && html`<p>Titles, IDs, SKUs, barcodes, handles, stores, and the beginning of any id.</p>`}
      ${text !== '' && isEmpty && nothing('Nothing was found. Try a part of a title, a whole SKU, or the beginning of an id.')}
      ${group(
        'Stores',
        ['Store', 'Shop'],
        stores.map(({ store, shop }) => ({
          path: storePath(store),
          name: store,
          notes: [shop],
        })),
      )}
      ${group(
        productTotal === 1 ? 'Product' : `Products: ${amount(productTotal)}`,
        ['Product', 'Store', 'ID'],
        products.map(({ externalId, label, store }) => ({
          path: productPath(externalId),
          name: nameOf(label, externalId),
          notes: [store, externalId],
        })),
      )}
      ${productTotal > products.length && html`<p><a href="${pathTo('/products', { search: text })}">All products that match</a></p>`}
      ${group(
        'By id',
        ['Id', 'State', 'About', 'Time'],
        rows.map(({ kind, id, state, about, at }) => ({
          path: `${PATHS[kind]}${id}`,
          name: `${kind} ${id}`,
          notes: [badge(state), about, moment(at)],
        })),
      )}`,
  });
}

interface Found {
  readonly path: string;
  readonly name: string;
  readonly notes: readonly (string | Html | null)[];
}

function group(title: string, heads: readonly string[], found: readonly Found[]): Html {
  if (found.length === 0) return html``;
  return html`<section aria-label="${title}">
    <h2>${title}</h2>
    ${rowTable(
      heads,
      found,
      ({ path, name, notes }) =>
        html`<tr data-row>
          <th scope="row"><a href="${path}">${name}</a></th>
          ${notes.map((note, index) => html`<td data-label="${heads[index + 1]}" class="quiet">${note}</td>`)}
        </tr>`,
    )}
  </section>`;
}
