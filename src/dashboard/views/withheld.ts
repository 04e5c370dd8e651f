import { IDENTIFIER_NAMES } from '../../domain/catalog-product.js';
import type { PresentedWithheld } from '../../operations/withheld.js';
import { nameOf, productPath, sentence } from '../elements.js';
import { html, type Html } from '../html.js';

/** Titles of products by external_id. */
export type Titles = ReadonlyMap<string, string>;

const EXTERNAL_ID = /\b([a-z]+:(?!\/\/)[^\s;,()":]+:\d+(?::\d+)?)/;

/** The products that a sentence names by their external_ids. */
export function namedIn(text: string): string[] {
  return text.split(EXTERNAL_ID).filter((_part, index) => index % 2 === 1);
}

/** A sentence with the titles of products, as links, in place of their external_ids. */
export function withTitles(text: string, titles: Titles): Html {
  const parts = text.split(EXTERNAL_ID).map((part, index) => {
    const title = index % 2 === 1 ? titles.get(part) : undefined;
    return title === undefined ? sentence(part) : html`<a href="${productPath(part)}">${title}</a>`;
  });
  return html`${parts}`;
}

/** The identifiers that are withheld from the catalog, each with its holder and how to resolve it; nothing when there are none. */
export function withheldList(withheld: readonly PresentedWithheld[], titles: Titles): Html | false {
  if (withheld.length === 0) return false;
  return html`<h2>Shared identifiers</h2>
    <ul class="rows">
      ${withheld.map(
        ({ kind, value, holder, remedy }) =>
          html`<li>
            <p class="what">
              The ${IDENTIFIER_NAMES[kind]} ${value} is not sent, because another product has it too.
            </p>
            <p>${holderLine(holder, titles)}</p>
            <p class="quiet">${remedy}</p>
          </li>`,
      )}
    </ul>`;
}

/** A product's withheld identifiers with their holders, a line each, for a list. */
export function withheldLines(withheld: readonly PresentedWithheld[], titles: Titles = new Map()): Html[] {
  return withheld.map(
    ({ kind, value, holder, remedy }) =>
      html`<p class="quiet">
        The ${IDENTIFIER_NAMES[kind]} ${value} is shared. ${holderLine(holder, titles)} ${remedy}
      </p>`,
  );
}

function holderLine({ who, products, catalogId }: PresentedWithheld['holder'], titles: Titles): Html {
  const links = products.map((id) => html` <a href="${productPath(id)}">${nameOf(titles.get(id), id)}</a>`);
  return html`It is on ${who}${links.length > 0 && html`: ${links}`}.
  ${catalogId !== null && products.length === 0 && html` Catalog product ${catalogId}.`}`;
}
