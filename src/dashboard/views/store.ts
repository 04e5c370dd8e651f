import type { Attention } from '../../operations/attention.js';
import type { Coverage, CoverageDay } from '../../operations/overview.js';
import type { PresentedRun } from '../../operations/present-run.js';
import type { StoreStatus } from '../../operations/status.js';
import {
  amount,
  badge,
  counted,
  moment,
  nameOf,
  nothing,
  pathTo,
  productPath,
  scheduled,
  sentence,
  stateOfRun,
} from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../session.guard.js';
import { attentionLine } from './attention.js';
import { coverageBar, coverageLine, coverageTable, sharePercent } from './charts.js';
import { runChart } from './run-chart.js';
import { countList, runTitle } from './runs.js';
import { needsYou } from './attention.js';
import { NO_RUN_YET } from './overview.js';
import { PLAN_ALL, PLAN_CHANGES } from './run.js';

export interface StoreView {
  readonly status: StoreStatus;
  readonly problems: readonly Attention[];
  readonly coverage: Coverage;
  readonly days: readonly CoverageDay[];
  /** The next time of the schedule. */
  readonly nextRunAt: Date;
  readonly schedule: { readonly cron: string; readonly timezone: string };
  /** Newest first. */
  readonly runs: readonly PresentedRun[];
}

export function storePage(visitor: Visitor, view: StoreView): string {
  const { status, problems } = view;
  const { store } = status;
  const path = `/stores/${encodeURIComponent(store)}`;
  return page(visitor, {
    title: `Store ${store}`,
    section: 'overview',
    body: html`<p class="crumbs"><a href="/" data-key="u">Overview</a></p>
      <div class="head">
        <h1>Store ${store}</h1>
        <form method="post" action="${path}/sync" class="inline">
          <button name="kind" value="changed" class="primary">Sync changes</button>
          <button name="kind" value="full">Sync everything</button>
        </form>
      </div>
      ${
        problems.length > 0 &&
        html`<section class="attention" aria-label="${needsYou(problems.length)}">
          <ul>
            ${problems.map((each) => attentionLine(each))}
          </ul>
          ${pauseTimes(status)}
        </section>`
      }
      <section class="card" aria-labelledby="tools">
        <h2 id="tools">Look before you act</h2>
        <div class="actions admin-only">
          <form method="post" action="${path}/plan" class="inline">
            <button name="kind" value="changed">${PLAN_CHANGES}</button>
            <button name="kind" value="full">${PLAN_ALL}</button>
          </form>
          <form method="post" action="${path}/drift" class="inline">
            <button>Look for drift</button>
          </form>
          <a class="button" href="${path}/generate">Generate what is missing…</a>
        </div>
        <p class="quiet">
          A plan shows what a sync would do and what it would cost. Drift compares the shop with what was
          written. <a href="${pathTo('/plans', { store })}">Plans of this store</a>
        </p>
      </section>
      <div class="columns">${facts(view)} ${coverageCard(view)}</div>
      ${lastRuns(view)} ${status.unsuccessful.length > 0 && unsuccessful(status)}
      ${status.gone !== null && status.gone.count > 0 && goneProducts(store, status.gone)}`,
  });
}

function pauseTimes({ health }: StoreStatus): Html {
  if (health.state === 'ok') return html``;
  const scope = health.scope === 'writes' ? 'Only writes are paused.' : 'All work of this store is paused.';
  return html`<p>${scope} Paused ${moment(health.since)}; next try ${moment(health.nextTry)}.</p>`;
}

function facts({ status, nextRunAt, schedule }: StoreView): Html {
  const { store } = status;
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">State</h2>
    <dl class="facts">
      <dt>Shop</dt>
      <dd>${status.shop}</dd>
      <dt>Next run</dt>
      <dd>${scheduled(nextRunAt, schedule.timezone)} <code>${schedule.cron}</code></dd>
      <dt>Read up to</dt>
      <dd>${moment(status.watermark)}</dd>
      <dt>Products</dt>
      <dd>${stateCounts(status.products, (state) => pathTo('/products', { state, store }))}</dd>
      <dt>Write-backs</dt>
      <dd>${stateCounts(status.writeBacks, (state) => pathTo('/journal', { state, store }))}</dd>
      ${held(status)}
      <dt>Generations</dt>
      <dd>
        ${stateCounts(status.tasks, (state) => pathTo('/products', { content: CONTENT_OF[state], store }))}
      </dd>
      ${
        status.owed.count > 0 &&
        html`<dt>
            <a href="${pathTo('/products', { content: 'owed', store })}">Put off to the next run</a>
          </dt>
          <dd>
            <ul class="plain">
              ${status.owed.reasons.map(({ count, reason }) => html`<li>${amount(count)}: ${reason}</li>`)}
            </ul>
          </dd>`
      }
    </dl>
  </section>`;
}

/** The filter of the product list that fits a task's state best. */
const CONTENT_OF: Readonly<Record<string, string>> = {
  requested: 'requested',
  succeeded: 'with',
  failed: 'failed',
  abandoned: 'failed',
  no_urls: 'without',
};

function coverageCard({ coverage, days, status }: StoreView): Html {
  const percent = sharePercent(coverage);
  return html`<section class="card" aria-labelledby="coverage">
    <h2 id="coverage">Coverage</h2>
    <p>
      <b class="figure">${percent === null ? '–' : `${percent} %`}</b>
      <a href="${pathTo('/products', { content: 'with', store: status.store })}"
        >${amount(coverage.withContent)} have generated content</a
      >,
      <a href="${pathTo('/products', { content: 'without', store: status.store })}"
        >${amount(coverage.products - coverage.withContent)} have none</a
      >
    </p>
    <p>${coverageBar(coverage)} ${coverageLine(days)}</p>
    ${coverageTable(days)}
  </section>`;
}

/** Writes that wait although the store is not paused, and values that no setting maps. */
function held({ store, held: { limits, gates }, unmappedParts }: StoreStatus): Html {
  const capped = Object.entries(limits).filter(([, count]) => count > 0);
  const ready = pathTo('/journal', { state: 'ready', store });
  const lines = [
    ...capped.map(
      ([limit, count]) =>
        html`<li><a href="${ready}">${count} writes wait: limits.${limit} is reached</a></li>`,
    ),
    ...Object.entries(gates).map(
      ([gate, count]) =>
        html`<li>
          <a href="${pathTo('/review', { store, gate })}">${count} held back by the gate ${gate}</a>
        </li>`,
    ),
    ...(unmappedParts > 0
      ? [
          html`<li>
            <a href="${pathTo('/journal', { store, fate: 'not_mapped' })}"
              >${unmappedParts} generated values are not written. Choose where</a
            >
          </li>`,
        ]
      : []),
  ];
  return html`${
    lines.length > 0 &&
    html`<dt>Held back</dt>
      <dd>
        <ul class="plain">
          ${lines}
        </ul>
      </dd>`
  }`;
}

function lastRuns({ status: { store }, runs }: StoreView): Html {
  const [newest] = runs;
  return html`<section class="card" aria-labelledby="runs">
    <div class="head">
      <h2 id="runs">Last runs</h2>
      <a href="${pathTo('/runs', { store })}">All runs</a>
    </div>
    ${
      newest === undefined
        ? nothing(NO_RUN_YET)
        : html`${runChart(store, runs)}
            <ul class="legend" aria-label="Colours of the chart">
              <li class="created">created</li>
              <li class="updated">updated</li>
              <li class="unchanged">unchanged</li>
              <li class="failed">failed</li>
            </ul>
            <p>
              <a href="/runs/${newest.id}">Newest run</a> ${runTitle(newest)} ${badge(stateOfRun(newest))}
              ${moment(newest.finishedAt ?? newest.startedAt)}
            </p>
            ${countList(newest)}
            ${newest.error !== null && html`<p class="problem">${sentence(newest.error)}</p>`}`
    }
  </section>`;
}

function stateCounts(counts: Readonly<Record<string, number>>, path: (state: string) => string): Html {
  const states = Object.entries(counts).filter(([, count]) => count > 0);
  if (states.length === 0) return html`<span class="quiet">none</span>`;
  return html`<span class="chips"
    >${states.map(([state, count]) => html`<a href="${path(state)}">${badge(state)} ${amount(count)}</a>`)}</span
  >`;
}

function unsuccessful(status: StoreStatus): Html {
  return html`<details>
    <summary>${counted(status.unsuccessful.length, 'product')} without content, newest first</summary>
    <ul class="plain">
      ${status.unsuccessful.map(
        ({ externalId, state, reason }) =>
          html`<li>${badge(state)} <a href="${productPath(externalId)}">${externalId}</a> ${reason}</li>`,
      )}
    </ul>
  </details>`;
}

function goneProducts(store: string, { count, products }: NonNullable<StoreStatus['gone']>): Html {
  return html`<details>
    <summary>${counted(count, 'product')} no longer in the store; the catalog keeps them</summary>
    <ul class="plain">
      ${products.map(
        ({ externalId, label, since }) =>
          html`<li>
            <a href="${productPath(externalId)}">${nameOf(label, externalId)}</a> since ${moment(since)}
          </li>`,
      )}
    </ul>
    <p><a href="${pathTo('/products', { state: 'orphaned', store })}">Show all of them</a></p>
  </details>`;
}
