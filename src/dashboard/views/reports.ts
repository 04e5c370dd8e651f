import type { Finding } from '../../operations/check.js';
import type { DriftedProduct } from '../../operations/drift.js';
import type { Report } from '../../operations/reports.js';
import type { SyncCost } from '../../operations/sync-cost.js';
import { words } from '../../operations/state-words.js';
import {
  actionForm,
  amount,
  badge,
  counted,
  excerpt,
  moment,
  nameOf,
  nothing,
  pathTo,
  productPath,
  storePath,
} from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../visit.js';
import { rowTable } from './list.js';
import { costFacts } from './plan.js';
import { CONFIRM_MEANING, KEEP_IT } from './write-back-actions.js';

export const RUN_CHECK = 'Run the check';
export const SEE_PRODUCTS = 'See the products';
const REPORT_TITLES = { check: 'Check', drift: 'Drift', generate: 'Generation' } as const;

/** The page of a check, with its last result. */
export function checkPage(visitor: Visitor, newest: Report | null): string {
  return page(visitor, {
    title: 'Check',
    section: 'check',
    body: html`<div class="head">
        <h1>Check</h1>
        ${actionForm('/check', RUN_CHECK, 'primary')}
      </div>
      <p>
        The check tests the catalog login, the webhook slot, the public URL and each store. It writes nothing.
      </p>
      ${newest === null ? nothing('No check has run in the last 30 days. Run one after each change of the configuration.') : liveReport(newest)}`,
  });
}

export function reportPage(visitor: Visitor, report: Report): string {
  const { store, kind } = report;
  const back = store === '' ? '/' : storePath(store);
  return page(visitor, {
    title: REPORT_TITLES[kind],
    section: 'overview',
    ...(report.state === 'running' ? { refreshSeconds: 3 } : {}),
    body: html`<p class="crumbs">
        <a href="${back}" data-key="u">${store === '' ? 'Overview' : `Store ${store}`}</a>
      </p>
      <h1>${REPORT_TITLES[kind]}${store !== '' && `: ${store}`}</h1>
      ${liveReport(report)}`,
  });
}

function liveReport(report: Report): Html {
  return html`<div data-live>${reportPart(report)}</div>`;
}

/** The changing part of the page. The script requests it repeatedly while `data-under-way` is present. */
function reportPart(report: Report): Html {
  const { state, progress, actor, createdAt, finishedAt, error } = report;
  const isRunning = state === 'running';
  return html`<section class="card" aria-label="Report" ${isRunning && html` data-under-way`}>
    <p role="status">
      ${badge(state === 'done' ? 'succeeded' : state, state)}
      ${isRunning && progress > 0 && `${counted(progress, 'product')} read`}
    </p>
    ${isRunning && html`<progress aria-label="${REPORT_TITLES[report.kind]}"></progress>`}
    <p class="quiet">
      Requested by ${actor} ${moment(createdAt)}${finishedAt !== null && html`, ended ${moment(finishedAt)}`}
    </p>
    ${error !== null && html`<p class="problem">${error}</p>`} ${resultOf(report)}
  </section>`;
}

function resultOf(report: Report): Html {
  if (report.result === null) return html``;
  switch (report.kind) {
    case 'check':
      return findingsTable(report.result.findings);
    case 'drift': {
      const { checked, drifted, passedOver, catalogProblem, products } = report.result;
      return html`<p>${amount(drifted)} of ${amount(checked)} products differ.</p>
        ${passedOver > 0 && html`<p class="quiet">${passedOver} ${passedOver === 1 ? 'product was' : 'products were'} passed over: a write was changing ${passedOver === 1 ? 'it' : 'them'}.</p>`}
        ${catalogProblem !== null && html`<p class="quiet">Products that are gone from the catalog were not looked for: ${catalogProblem}</p>`}
        ${drifted === 0 ? nothing('The shop has what was written.') : driftTable(products)}
        ${drifted > products.length && html`<p class="quiet">${products.length === 1 ? 'Only the first product is listed.' : `Only the first ${products.length} products are listed.`}</p>`}`;
    }
    case 'generate': {
      const { requested, stopped, store } = report.result;
      return html`<p>Content was requested for ${counted(requested, 'product')}.</p>
        ${stopped !== null && html`<p class="quiet">${stopped}</p>`}
        <p><a href="${pathTo('/products', { store, content: 'requested' })}">${SEE_PRODUCTS}</a></p>`;
    }
  }
}

const ORDER = ['FAIL', 'warn', 'ok'] as const;
const LEVELS = { ok: 'good', warn: 'warn', FAIL: 'bad' } as const;

/** Failures come first. */
function findingsTable(findings: readonly Finding[]): Html {
  const ranked = ORDER.flatMap((rank) => findings.filter(({ level }) => level === rank));
  return rowTable(
    ['Result', 'What', 'Detail'],
    ranked,
    ({ level, what, detail }) =>
      html`<tr>
        <td><span class="badge ${LEVELS[level]}">${level}</span></td>
        <th scope="row">${what}</th>
        <td class="said">${detail}</td>
      </tr>`,
  );
}

function driftTable(products: readonly DriftedProduct[]): Html {
  const found = products.flatMap(({ findings, ...product }) =>
    findings.map((finding) => ({ ...product, ...finding })),
  );
  return rowTable(
    ['Product', 'Finding', 'Live', 'Written'],
    found,
    ({ externalId, label, kind, target, detail, live, written }) =>
      html`<tr>
        <th scope="row"><a href="${productPath(externalId)}">${nameOf(label, externalId)}</a></th>
        <td>
          <span class="badge warn">${words(kind)}</span>
          ${target !== null && html`<code>${target}</code>`}
          <span class="quiet">${detail}</span>
        </td>
        <td data-label="Live" class="said">${excerpt(live ?? '–', SHOWN)}</td>
        <td data-label="Written" class="said">${excerpt(written ?? '–', SHOWN)}</td>
      </tr>`,
  );
}

const SHOWN = 200;

export interface GenerateQuestion {
  readonly store: string;
  /** The chosen products; null for all without content. */
  readonly products: readonly { readonly externalId: string; readonly label: string }[] | null;
  readonly cost: SyncCost;
}

/** The question before content is requested, with its cost. */
export function generateQuestionPage(visitor: Visitor, { store, products, cost }: GenerateQuestion): string {
  const [product = null, ...others] = products ?? [];
  const path = storePath(store);
  const isOne = product !== null && others.length === 0;
  const back = isOne ? productPath(product.externalId) : product === null ? path : '/products';
  const title =
    product === null
      ? `Generate what is missing in ${store}?`
      : `Generate for ${isOne ? product.label : counted(others.length + 1, 'product')}?`;
  return page(visitor, {
    title,
    section: product === null ? 'overview' : 'products',
    body: html`<h1>${title}</h1>
      <section class="card">
        <p>
          ${isOne ? CONFIRM_MEANING.generate : 'The service writes new texts for these products. It may charge credits.'}
        </p>
        ${costFacts(cost)}
        ${
          cost.generations === 0
            ? html`${nothing('There is nothing to request now.')}
                <p><a href="${back}" data-key="u">${KEEP_IT}</a></p>`
            : html`<form
                method="post"
                action="${product === null ? `${path}/generate` : '/products/generate'}"
                class="inline"
              >
                ${(products ?? []).map(({ externalId }) => html`<input type="hidden" name="id" value="${externalId}" />`)}
                <button class="primary">Request content</button>
                <a href="${back}" data-key="u">${KEEP_IT}</a>
              </form>`
        }
      </section>`,
  });
}
