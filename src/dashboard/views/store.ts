import type { Attention } from '../../operations/attention.js';
import type { Coverage, CoverageDay } from '../../operations/overview.js';
import type { PresentedRun } from '../../operations/present-run.js';
import type { StoreStatus } from '../../operations/status.js';
import { LINK_WORDS } from '../../operations/state-words.js';
import {
  actionForm,
  amount,
  factList,
  badge,
  clockTime,
  counted,
  moment,
  nameOf,
  nothing,
  pathTo,
  productPath,
  scheduled,
  sentence,
  stateOfRun,
  storePath,
} from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../visit.js';
import { attentionLine, needsYou } from './attention.js';
import { coverageBar, coverageLine, coverageTable, sharePercent } from './charts.js';
import { runChart } from './run-chart.js';
import { countList, runTitle } from './runs.js';
import { NO_RUN_YET } from './overview.js';
import { PLAN_ALL, PLAN_CHANGES } from './run.js';

export interface StoreView {
  readonly status: StoreStatus;
  readonly problems: readonly Attention[];
  readonly coverage: Coverage;
  readonly days: readonly CoverageDay[];
  /** Products whose newest generation brought nothing. */
  readonly without: { readonly failed: number; readonly noSources: number };
  /** The next time of the schedule. */
  readonly nextRunAt: Date;
  readonly schedule: { readonly cron: string; readonly timezone: string };
  /** Newest first. */
  readonly runs: readonly PresentedRun[];
}

export function storePage(visitor: Visitor, view: StoreView): string {
  const { status, problems } = view;
  const { store } = status;
  const path = storePath(store);
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
          ${actionForm(`${path}/drift`, 'Look for drift')}
          <a class="button" href="${path}/generate">Generate what is missing…</a>
        </div>
        <p class="quiet">
          A plan shows what a sync would do and what it would cost. Drift compares the shop with what was
          written. <a href="${pathTo('/plans', { store })}">Plans of this store</a>
        </p>
      </section>
      <div class="columns">${facts(view)} ${coverageCard(view)}</div>
      ${lastRuns(view)} ${status.gone !== null && status.gone.count > 0 && goneProducts(store, status.gone)}`,
  });
}

function pauseTimes({ health }: StoreStatus): Html {
  if (health.state === 'ok') return html``;
  const scope = health.scope === 'writes' ? 'Only writes are paused.' : 'All work of this store is paused.';
  const next = health.nextTry === null ? '' : html` Next try ${clockTime(health.nextTry)}.`;
  return html`<p>${scope} Paused ${moment(health.since)}.${next}</p>`;
}

function facts({ status, nextRunAt, schedule }: StoreView): Html {
  const { store } = status;
  const onHold = held(status);
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">State</h2>
    ${factList([
      ['Shop', status.shop],
      ['Next run', html`${scheduled(nextRunAt, schedule.timezone)} <code>${schedule.cron}</code>`],
      ['Read up to', moment(status.watermark)],
      [
        'Products',
        stateCounts(status.products, LINK_WORDS, (state) => pathTo('/products', { state, store })),
      ],
      [
        'Generated texts',
        stateCounts(status.writeBacks, {}, (state) => pathTo('/journal', { state, store })),
      ],
      onHold.length > 0 && ['On hold', plainList(onHold)],
      status.owed.count > 0 && [
        html`<a href="${pathTo('/products', { content: 'owed', store })}">Put off to the next run</a>`,
        plainList(status.owed.reasons.map(({ count, reason }) => html`${amount(count)}: ${reason}`)),
      ],
    ])}
  </section>`;
}

function plainList(items: readonly Html[]): Html {
  return html`<ul class="plain">
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;
}

function coverageCard({ coverage, days, without, status }: StoreView): Html {
  const percent = sharePercent(coverage);
  const products = (content: string, count: number, what: string): Html =>
    html`<a href="${pathTo('/products', { content, store: status.store })}">${amount(count)} ${what}</a>`;
  return html`<section class="card" aria-labelledby="coverage">
    <h2 id="coverage">Coverage</h2>
    <p>
      <b class="figure">${percent === null ? '–' : `${percent} %`}</b>
      ${products('with', coverage.withContent, 'generated')}, ${products('live', coverage.live, 'live')},
      ${products('without', coverage.products - coverage.withContent, 'not generated')}
    </p>
    ${
      without.failed + without.noSources > 0 &&
      html`<p class="quiet">
        The last generation brought nothing for
        ${[
          ...(without.failed > 0 ? [products('failed', without.failed, 'that failed')] : []),
          ...(without.noSources > 0 ? [products('no_sources', without.noSources, 'without sources')] : []),
        ].map((each, index) => html`${index > 0 && ' and '}${each}`)}.
      </p>`
    }
    <p>${coverageBar(coverage)} ${coverageLine(days)}</p>
    ${coverageTable(days)}
  </section>`;
}

/** Writes that wait although the store is not paused, and values that no setting maps. */
function held({ store, held: { limits, gates }, unmappedParts }: StoreStatus): Html[] {
  const capped = Object.entries(limits).filter(([, count]) => count > 0);
  const ready = pathTo('/journal', { state: 'ready', store });
  const unmapped =
    unmappedParts === 1 ? '1 generated value is' : `${amount(unmappedParts)} generated values are`;
  return [
    ...capped.map(
      ([limit, count]) =>
        html`<a href="${ready}">${counted(count, 'write')} on hold: limits.${limit} is reached</a>`,
    ),
    ...Object.entries(gates).map(
      ([gate, count]) =>
        html`<a href="${pathTo('/review', { store, gate })}"
          >${counted(count, 'text')} held back by the gate ${gate}</a
        >`,
    ),
    ...(unmappedParts > 0
      ? [
          html`<a href="${pathTo('/journal', { store, fate: 'not_mapped' })}"
            >${unmapped} not mapped. Choose where</a
          >`,
        ]
      : []),
  ];
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

function stateCounts(
  counts: Readonly<Record<string, number>>,
  labels: Readonly<Record<string, string>>,
  path: (state: string) => string,
): Html {
  const states = Object.entries(counts).filter(([, count]) => count > 0);
  if (states.length === 0) return html`<span class="quiet">none</span>`;
  return html`<span class="chips"
    >${states.map(([state, count]) => html`<a href="${path(state)}">${badge(state, labels[state])} ${amount(count)}</a>`)}</span
  >`;
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
