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
  stateOfRun,
} from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import { messages } from '../messages.js';
import type { Visitor } from '../session.guard.js';
import { attentionLine } from './attention.js';
import { coverageBar, coverageLine, coverageTable, sharePercent } from './charts.js';
import { runChart } from './run-chart.js';
import { countList } from './runs.js';

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
        html`<section class="attention" aria-label="${messages.needsYou(problems.length)}">
          <ul>
            ${problems.map((each) => attentionLine(each))}
          </ul>
          ${pauseTimes(status)}
        </section>`
      }
      <section class="card" aria-labelledby="tools">
        <h2 id="tools">${messages.tools}</h2>
        <div class="actions admin-only">
          <form method="post" action="${path}/plan" class="inline">
            <button name="kind" value="changed">${messages.planChanges}</button>
            <button name="kind" value="full">${messages.planAll}</button>
          </form>
          <form method="post" action="${path}/drift" class="inline">
            <button>${messages.lookForDrift}</button>
          </form>
          <a class="button" href="${path}/generate">${messages.generateMissing}</a>
        </div>
        <p class="quiet">
          ${messages.toolsMeaning} <a href="${pathTo('/plans', { store })}">${messages.plansOfStore}</a>
        </p>
      </section>
      <div class="columns">${facts(view)} ${coverageCard(view)}</div>
      ${lastRuns(view)} ${status.unsuccessful.length > 0 && unsuccessful(status)}
      ${status.gone !== null && status.gone.count > 0 && goneProducts(store, status.gone)}`,
  });
}

function pauseTimes({ health }: StoreStatus): Html {
  if (health.state === 'ok') return html``;
  const scope = health.scope === 'writes' ? messages.onlyWritesPaused : messages.allPaused;
  return html`<p>
    ${scope} ${messages.pausedSince} ${moment(health.since)}; ${messages.nextTry} ${moment(health.nextTry)}.
  </p>`;
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
      <dt>${messages.readUpTo}</dt>
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
            <a href="${pathTo('/products', { content: 'owed', store })}">${messages.owedToNextRun}</a>
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
    <h2 id="coverage">${messages.coverage}</h2>
    <p>
      <b class="figure">${percent === null ? '–' : `${percent} %`}</b>
      <a href="${pathTo('/products', { content: 'with', store: status.store })}"
        >${amount(coverage.withContent)} ${messages.haveContent}</a
      >,
      <a href="${pathTo('/products', { content: 'without', store: status.store })}"
        >${amount(coverage.products - coverage.withContent)} ${messages.haveNone}</a
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
    ...capped.map(([limit, count]) => html`<li><a href="${ready}">${messages.capped(count, limit)}</a></li>`),
    ...Object.entries(gates).map(
      ([gate, count]) =>
        html`<li><a href="${pathTo('/review', { store, gate })}">${messages.gated(count, gate)}</a></li>`,
    ),
    ...(unmappedParts > 0
      ? [
          html`<li>
            <a href="${pathTo('/journal', { store, fate: 'not_mapped' })}"
              >${messages.unmapped(unmappedParts)}</a
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
      <a href="${pathTo('/runs', { store })}">${messages.allRuns}</a>
    </div>
    ${
      newest === undefined
        ? nothing(messages.noRunYet)
        : html`${runChart(store, runs)}
            <ul class="legend" aria-label="${messages.chartColours}">
              <li class="created">created</li>
              <li class="updated">updated</li>
              <li class="unchanged">unchanged</li>
              <li class="failed">failed</li>
            </ul>
            <p>
              <a href="/runs/${newest.id}">Newest: ${newest.kind} by ${newest.trigger}</a>
              ${badge(stateOfRun(newest))} ${moment(newest.finishedAt ?? newest.startedAt)}
            </p>
            ${countList(newest)} ${newest.error !== null && html`<p class="problem">${newest.error}</p>`}`
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
    <summary>${counted(status.unsuccessful.length, 'product')} ${messages.withoutContent}</summary>
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
    <summary>${counted(count, 'product')} ${messages.gone}</summary>
    <ul class="plain">
      ${products.map(
        ({ externalId, label, since }) =>
          html`<li>
            <a href="${productPath(externalId)}">${nameOf(label, externalId)}</a> since ${moment(since)}
          </li>`,
      )}
    </ul>
    <p><a href="${pathTo('/products', { state: 'orphaned', store })}">${messages.allOfThem}</a></p>
  </details>`;
}
