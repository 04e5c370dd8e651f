import type { Page } from '../../operations/paging.js';
import type { ListedProduct, ProductTimeline, TimelineEntry } from '../../operations/timeline.js';
import type { WriteBackField } from '../../operations/write-backs.js';
import { badge, moment, nameOf, nothing, pager, pathTo, productPath, stateTabs, words } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../session.guard.js';
import { messages } from '../messages.js';
import { thumbnail } from '../thumbnails.js';
import { withheldLines, withheldList } from './withheld.js';

export const LINK_STATES = ['linked', 'pending', 'conflicted', 'orphaned'] as const;

export function productsPage(
  visitor: Visitor,
  products: Page<ListedProduct>,
  state: string | undefined,
  images: ReadonlyMap<string, string>,
): string {
  return page(visitor, {
    title: 'Products',
    section: 'products',
    keys: LIST_KEYS,
    body: html`<h1>Products</h1>
      ${search('')} ${stateTabs('/products', LINK_STATES, state)}
      ${products.total === 0 && nothing(messages.noProducts)}
      <ul class="rows">
        ${products.items.map(
          (product) =>
            html`<li data-row>
              <p class="what named">
                ${thumbnail(images.get(product.externalId))}
                <a href="${productPath(product.externalId)}">${nameOf(product.label, product.externalId)}</a>
              </p>
              <p>${badge(product.state)} ${product.store}</p>
              <p class="quiet">${product.standing}</p>
              ${withheldLines(product.withheld)}
            </li>`,
        )}
      </ul>
      ${pager(products, (offset) => pathTo('/products', { state, offset }))}`,
  });
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
          ? nothing(messages.noProductNamed(name))
          : html`<h2>${found.length} products match “${name}”</h2>`
      }
      <ul class="rows">
        ${found.map(
          (id) =>
            html`<li data-row>
              <p class="what"><a href="${productPath(id)}">${id}</a></p>
            </li>`,
        )}
      </ul>`,
  });
}

const LIST_KEYS = [
  ['j', 'next'],
  ['k', 'previous'],
  ['Enter', 'open'],
  ['/', 'search'],
] as const;

function search(value: string): Html {
  return html`<form class="search" role="search" action="/products">
    <label for="name">${messages.searchLabel}</label>
    <input id="name" name="name" type="search" value="${value}" data-key="/" />
    <button>Find</button>
  </form>`;
}

export function timelinePage(visitor: Visitor, product: ProductTimeline, image: string | undefined): string {
  const { link } = product;
  return page(visitor, {
    title: nameOf(product.label, product.externalId),
    section: 'products',
    body: html`<p class="crumbs"><a href="/products" data-key="u">Products</a></p>
      <div class="named">
        ${image !== undefined && thumbnail(image)}
        <h1>${nameOf(product.label, product.externalId)}</h1>
      </div>
      <p class="standing">${link !== null && badge(link.state)} ${product.standing}</p>
      <dl class="facts card">
        <dt>external_id</dt>
        <dd>${product.externalId}</dd>
        <dt>Store</dt>
        <dd>${product.store ?? '–'}</dd>
        <dt>Handle</dt>
        <dd>${link?.handle ?? '–'}</dd>
        <dt>Catalog product</dt>
        <dd>${link?.catalogId ?? '–'}</dd>
        <dt>Last seen</dt>
        <dd>${moment(link?.lastSeenAt ?? null)}</dd>
      </dl>
      ${link !== null && withheldList(link.withheld)}
      <h2>Timeline</h2>
      ${product.timeline.length === 0 && nothing(messages.noTimeline)}
      <ol class="timeline">
        ${product.timeline.map(timelineItem)}
      </ol>`,
  });
}

function timelineItem(entry: TimelineEntry): Html {
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
