import type { PresentedWithheld } from '../../operations/withheld.js';
import { productPath } from '../elements.js';
import { html, type Html } from '../html.js';

/** The identifiers that are withheld from the catalog, each with its holder and how to resolve it; nothing when there are none. */
export function withheldList(withheld: readonly PresentedWithheld[]): Html | false {
  if (withheld.length === 0) return false;
  return html`<h2>Withheld identifiers</h2>
    <ul class="rows">
      ${withheld.map(
        ({ reason, holder, remedy }) =>
          html`<li>
            <p class="what">${reason}</p>
            ${holder !== null && html`<p>${holderLine(holder)}</p>`}
            <p class="quiet">${remedy}</p>
          </li>`,
      )}
    </ul>`;
}

/** A product's withheld identifiers with their holders, a line each, for a list. */
export function withheldLines(withheld: readonly PresentedWithheld[]): Html[] {
  return withheld.map(
    ({ kind, value, holder }) =>
      html`<p class="quiet">${kind} ${value} is withheld. ${holder !== null && holderLine(holder)}</p>`,
  );
}

/** Links to the products of ours that hold identifiers of a product, for a list that names the reasons already. */
export function holderLinks(withheld: readonly PresentedWithheld[]): Html | false {
  const holders = new Set(withheld.flatMap(({ holder }) => holder?.products ?? []));
  return (
    holders.size > 0 &&
    html`<p>Held by ${[...holders].map((id) => html` <a href="${productPath(id)}">${id}</a>`)}</p>`
  );
}

function holderLine({ who, products, catalogId }: NonNullable<PresentedWithheld['holder']>): Html {
  return html`It is held by ${who}. ${products.map((id) => html` <a href="${productPath(id)}">${id}</a>`)}
  ${catalogId !== null && html` Catalog product ${catalogId}.`}`;
}
