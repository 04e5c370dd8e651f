import type { Finding } from '../../operations/check.js';
import type { DriftedProduct } from '../../operations/drift.js';
import type { Report } from '../../operations/reports.js';
import type { SyncCost } from '../../operations/sync-cost.js';
import { amount, badge, counted, moment, nameOf, nothing, pathTo, productPath, words } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import { messages } from '../messages.js';
import type { Visitor } from '../session.guard.js';
import { costFacts } from './plan.js';

/** The page of a check, with its last result. */
export function checkPage(visitor: Visitor, newest: Report | null): string {
  return page(visitor, {
    title: 'Check',
    section: 'settings',
    body: html`<div class="head">
        <h1>Check</h1>
        <form method="post" action="/check" class="inline">
          <button class="primary">${messages.runCheck}</button>
        </form>
      </div>
      <p>${messages.checkMeaning}</p>
      ${newest === null ? nothing(messages.noCheckYet) : liveReport(newest)}`,
  });
}

export function reportPage(visitor: Visitor, report: Report): string {
  const { store, kind } = report;
  const back = store === '' ? '/' : `/stores/${encodeURIComponent(store)}`;
  return page(visitor, {
    title: messages.reportTitles[kind],
    section: 'overview',
    ...(report.state === 'running' ? { refreshSeconds: 3 } : {}),
    body: html`<p class="crumbs">
        <a href="${back}" data-key="u">${store === '' ? 'Overview' : `Store ${store}`}</a>
      </p>
      <h1>${messages.reportTitles[kind]}${store !== '' && `: ${store}`}</h1>
      ${liveReport(report)}`,
  });
}

function liveReport(report: Report): Html {
  return html`<div data-live="/reports/${report.id}/progress">${reportFragment(report)}</div>`;
}

/** The changing part of the page. The script requests it repeatedly while `data-under-way` is present. */
export function reportFragment(report: Report): Html {
  const { state, progress, actor, createdAt, finishedAt, error } = report;
  const isRunning = state === 'running';
  return html`<section class="card" aria-label="Report" ${isRunning && html` data-under-way`}>
    <p role="status">
      ${badge(state === 'done' ? 'succeeded' : state, state)}
      ${isRunning && progress > 0 && `${counted(progress, 'product')} read`}
    </p>
    ${isRunning && html`<progress aria-label="${messages.reportTitles[report.kind]}"></progress>`}
    <p class="quiet">
      ${messages.askedBy(actor)}
      ${moment(createdAt)}${finishedAt !== null && html`, ended ${moment(finishedAt)}`}
    </p>
    ${error !== null && html`<p class="problem">${error}</p>`} ${resultOf(report)}
  </section>`;
}

function resultOf(report: Report): Html {
  if (report.result === null) return html``;
  switch (report.kind) {
    case 'check':
      return findingsTable(report.result);
    case 'drift': {
      const { checked, drifted, passedOver, catalogProblem, products } = report.result;
      return html`<p>${messages.driftFound(amount(drifted), amount(checked))}</p>
        ${passedOver > 0 && html`<p class="quiet">${messages.driftPassedOver(passedOver)}</p>`}
        ${catalogProblem !== null && html`<p class="quiet">${messages.driftCatalog} ${catalogProblem}</p>`}
        ${drifted === 0 ? nothing(messages.noDrift) : driftTable(products)}
        ${drifted > products.length && html`<p class="quiet">${messages.firstOnly(products.length)}</p>`}`;
    }
    case 'generate': {
      const { requested, stopped, store } = report.result;
      return html`<p>${messages.contentRequested(amount(requested))}</p>
        ${stopped !== null && html`<p class="quiet">${stopped}</p>`}
        <p><a href="${pathTo('/products', { store, content: 'requested' })}">${messages.seeProducts}</a></p>`;
    }
  }
}

const ORDER = ['FAIL', 'warn', 'ok'] as const;
const LEVELS = { ok: 'good', warn: 'warn', FAIL: 'bad' } as const;

/** Failures come first. */
function findingsTable(findings: readonly Finding[]): Html {
  const ranked = ORDER.flatMap((rank) => findings.filter(({ level }) => level === rank));
  return html`<table class="list">
    <thead>
      <tr>
        <th scope="col">Result</th>
        <th scope="col">What</th>
        <th scope="col">Detail</th>
      </tr>
    </thead>
    <tbody>
      ${ranked.map(
        ({ level, what, detail }) =>
          html`<tr>
            <td><span class="badge ${LEVELS[level]}">${level}</span></td>
            <th scope="row">${what}</th>
            <td class="said">${detail}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function driftTable(products: readonly DriftedProduct[]): Html {
  return html`<table class="list">
    <thead>
      <tr>
        <th scope="col">Product</th>
        <th scope="col">Finding</th>
        <th scope="col">Live</th>
        <th scope="col">Written</th>
      </tr>
    </thead>
    <tbody>
      ${products.flatMap(({ externalId, label, findings }) =>
        findings.map(
          ({ kind, target, detail, live, written }) =>
            html`<tr>
              <th scope="row"><a href="${productPath(externalId)}">${nameOf(label, externalId)}</a></th>
              <td>
                <span class="badge warn">${words(kind)}</span>
                ${target !== null && html`<code>${target}</code>`}
                <span class="quiet">${detail}</span>
              </td>
              <td data-label="Live" class="said">${excerpt(live)}</td>
              <td data-label="Written" class="said">${excerpt(written)}</td>
            </tr>`,
        ),
      )}
    </tbody>
  </table>`;
}

const SHOWN = 200;

function excerpt(text: string | null): string {
  if (text === null) return '–';
  return text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text;
}

export interface GenerateQuestion {
  readonly store: string;
  /** One product; null for all without content. */
  readonly product: { readonly externalId: string; readonly label: string } | null;
  readonly cost: SyncCost;
}

/** The question before content is requested, with its cost. */
export function generateQuestionPage(visitor: Visitor, { store, product, cost }: GenerateQuestion): string {
  const path = `/stores/${encodeURIComponent(store)}`;
  const back = product === null ? path : productPath(product.externalId);
  const title =
    product === null ? messages.generateMissingOf(store) : messages.generateAgainFor(product.label);
  return page(visitor, {
    title,
    section: product === null ? 'overview' : 'products',
    body: html`<h1>${title}</h1>
      <section class="card">
        <p>${product === null ? messages.generateMeaning : messages.confirmMeaning.generate}</p>
        ${costFacts(cost)}
        ${
          cost.generations === 0
            ? html`${nothing(messages.nothingToGenerate)}
                <p><a href="${back}" data-key="u">${messages.keepIt}</a></p>`
            : html`<form
                method="post"
                action="${product === null ? `${path}/generate` : `${back}/generate`}"
                class="inline"
              >
                <button class="primary">${messages.requestContent}</button>
                <a href="${back}" data-key="u">${messages.keepIt}</a>
              </form>`
        }
      </section>`,
  });
}
