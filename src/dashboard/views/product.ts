import type { ProductTimeline } from '../../operations/products.js';
import {
  actionForm,
  factList,
  moment,
  nameOf,
  nothing,
  pathTo,
  productPath,
  sentence,
  storePath,
} from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { LiveText } from '../product-live.js';
import type { Visitor } from '../visit.js';
import { thumbnail } from '../thumbnails.js';
import { remedyOf, standsBadge, timelineItem, withoutRest } from './products.js';
import { withheldList, type Titles } from './withheld.js';
import { storeUnread } from './write-back-parts.js';

const CURRENT_TEXT = 'Current text';

export interface ProductView {
  readonly product: ProductTimeline;
  readonly image: string | undefined;
  /** Titles of the products that hold a shared identifier. */
  readonly titles: Titles;
  /** Null for a product without a link. */
  readonly live: LiveText | null;
  /** The address of the product in the shop's admin; null where it has none. */
  readonly adminUrl: string | null;
}

export function productPage(visitor: Visitor, view: ProductView): string {
  const { product, image, live, titles } = view;
  const { link } = product;
  const name = nameOf(product.label, product.externalId);
  return page(visitor, {
    title: name,
    section: 'products',
    body: html`<p class="crumbs"><a href="/products" data-key="u">Products</a></p>
      <div class="head">
        <div class="named">
          ${image !== undefined && thumbnail(image)}
          <h1>${name}</h1>
        </div>
        ${link !== null && product.store !== null && actions(product.externalId, product.store)}
      </div>
      <div class="standing">
        <p>${standsBadge(product.stands)} ${sentence(withoutRest(product.standing))}</p>
        ${link !== null && remedyOf(product)}
      </div>
      ${facts(view)} ${link !== null && withheldList(link.withheld, titles)}
      ${live !== null && present(product.externalId, live)}
      <h2>What happened, newest first</h2>
      ${product.timeline.length === 0 && nothing('Nothing has happened to this product yet. “Sync now” reads it.')}
      <ol class="timeline">
        ${product.timeline.toReversed().map((entry) => timelineItem(entry, titles))}
      </ol>`,
  });
}

function actions(externalId: string, store: string): Html {
  const path = productPath(externalId);
  return html`<div class="actions admin-only">
    ${actionForm(`${path}/sync`, 'Sync now', 'primary')}
    ${actionForm(`${storePath(store)}/plan`, 'Show the plan', '', { product: externalId })}
    <a class="button" href="${path}/generate">Generate again…</a>
  </div>`;
}

function facts({ product, live, adminUrl }: ProductView): Html {
  const { link } = product;
  const shopUrl = live !== null && 'url' in live ? live.url : null;
  const outside = [
    [shopUrl, 'in the shop'],
    [adminUrl, 'in the shop’s admin'],
  ] as const;
  const links = outside.flatMap(([url, label]) => (url === null ? [] : [{ url, label }]));
  return factList(
    [
      ['ID', product.externalId],
      [
        'Store',
        product.store === null ? '–' : html`<a href="${storePath(product.store)}">${product.store}</a>`,
      ],
      ['Handle', link?.handle ?? '–'],
      ['Catalog product', link?.catalogId ?? '–'],
      ['Last seen', moment(link?.lastSeenAt ?? null)],
      links.length > 0 && ['Pages', html`<span class="chips">${links.map(outsideLink)}</span>`],
    ],
    'card',
  );
}

function outsideLink({ url, label }: { readonly url: string; readonly label: string }): Html {
  return html`<a class="outside" href="${url}" rel="noreferrer noopener" target="_blank">${label}</a>`;
}

function present(externalId: string, live: LiveText): Html {
  return html`<section class="card" aria-labelledby="present">
    <h2 id="present">${CURRENT_TEXT}</h2>
    ${
      'problem' in live
        ? html`<p class="quiet">${storeUnread(live.problem)}</p>`
        : html`<p><b>${live.title}</b> <span class="badge calm">${live.status.toLowerCase()}</span></p>
            ${
              live.descriptionHtml === ''
                ? nothing('The product has no description. “Generate again” asks for one.')
                : html`<iframe
                    title="${CURRENT_TEXT}"
                    src="${pathTo(`${productPath(externalId)}/preview`)}"
                    sandbox=""
                    loading="lazy"
                  ></iframe>`
            }`
    }
  </section>`;
}
