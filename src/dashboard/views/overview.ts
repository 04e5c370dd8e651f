import type { Overview, StoreLine, Work, WorkspaceLine } from '../../operations/overview.js';
import { isUnderWay } from '../../operations/present-run.js';
import {
  amount,
  badge,
  counted,
  factList,
  moment,
  nothing,
  pager,
  pathTo,
  scheduled,
  stateOfRun,
  storePath,
} from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../visit.js';
import { attentionSection, outageSection } from './attention.js';
import { coverageBar, coverageLine, creditAmount, creditChart, sharePercent } from './charts.js';
import { NO_FILTER, rowTable } from './list.js';

const GENERATED = 'Generated and live';
const STORE_SEARCH = 'Part of a store’s key or shop';
const PROBLEMS = {
  store_paused: 'paused',
  run_failed: 'run failed',
  run_incomplete: 'incomplete',
  never_run: 'never run',
  api_version_retired: 'API version retired',
  writes_failed: 'writes failed',
} as Readonly<Partial<Record<string, string>>>;
export const NO_RUN_YET = 'This store has no runs yet.';
const inDays = (days: number): string =>
  days < 1 ? 'in less than a day' : days === 1 ? 'in one day' : `in ${days} days`;

export interface OverviewChoice {
  readonly search?: string | undefined;
  readonly show?: 'attention' | undefined;
}

/** Stores beyond this number get a search. */
const FEW_STORES = 5;

export function overviewPage(visitor: Visitor, overview: Overview, choice: OverviewChoice): string {
  return page(visitor, {
    title: 'Overview',
    section: 'overview',
    ...(isChanging(overview) ? { refreshSeconds: 5 } : {}),
    body: html`<h1>Overview</h1>
      <div data-live data-live-every="4000">${livePart(overview, choice)}</div>`,
  });
}

function isChanging({ isBusy, outages }: Overview): boolean {
  return isBusy || outages.length > 0;
}

/** The changing part of the page. The script requests it repeatedly while `data-under-way` is present. */
function livePart(overview: Overview, choice: OverviewChoice): Html {
  return html`<div class="overview" ${isChanging(overview) && html` data-under-way`}>
    ${outageSection(overview.outages, overview.workspaces.total)}
    ${attentionSection(overview.attention, overview.outages.length > 0)} ${storeSection(overview, choice)}
    ${workSection(overview.work)} ${workspaceSection(overview)}
  </div>`;
}

function workSection(work: Work): Html {
  return html`<section aria-labelledby="work">
    <h2 id="work">Work</h2>
    <ul class="tiles">
      ${tile('Waiting for review', work.forReview, '/review', 'busy')}
      ${tile('Generations in progress', work.awaited, pathTo('/products', { content: 'requested' }), 'calm')}
      ${tile('Deliveries to process', work.received, pathTo('/deliveries', { state: 'received' }), 'calm')}
      ${tile('Pending writes', work.ready, pathTo('/journal', { state: 'ready' }), 'calm')}
    </ul>
    <h3>Needs a look</h3>
    <ul class="tiles">
      ${tile('Deliveries parked', work.parked, pathTo('/deliveries', { state: 'parked' }), 'warn')}
      ${tile('Deliveries failed', work.failedDeliveries, pathTo('/deliveries', { state: 'failed' }), 'bad')}
      ${tile('Writes failed', work.failedWrites, pathTo('/journal', { state: 'failed' }), 'bad')}
      ${tile('Generations failed', work.givenUp, pathTo('/products', { content: 'failed' }), 'warn')}
      ${tile('No sources found', work.noSources, pathTo('/products', { content: 'no_sources' }), 'warn')}
    </ul>
  </section>`;
}

function tile(label: string, count: number, path: string, tone: string): Html {
  return html`<li class="tile ${count > 0 ? tone : 'calm'}">
    <a href="${path}"><b>${amount(count)}</b> <span>${label}</span></a>
  </li>`;
}

function storeSection({ stores, allStores }: Overview, choice: OverviewChoice): Html {
  const isFiltered = choice.search !== undefined || choice.show !== undefined;
  return html`<section aria-labelledby="stores">
    <div class="head">
      <h2 id="stores">${allStores === 1 ? 'Store' : `${allStores} stores`}</h2>
      ${(allStores > FEW_STORES || isFiltered) && storeFilter(choice)}
    </div>
    ${allStores === 0 && nothing('No stores yet. Add one to the configuration file with store-sync init, or let a merchant install the app.')}
    ${allStores > 0 && stores.items.length === 0 && nothing('No stores match this filter.')}
    ${
      stores.items.length > 0 &&
      rowTable(
        ['Store', GENERATED, 'Last run', 'Next run', 'Review', 'Put off'],
        stores.items,
        storeRow,
        'list stores',
      )
    }
    ${stores.total > stores.limit && pager(stores, (offset) => pathTo('/', { ...choice, offset }))}
  </section>`;
}

function storeFilter({ search, show }: OverviewChoice): Html {
  return html`<form class="inline" role="search" action="/">
    <input
      type="search"
      name="search"
      value="${search ?? ''}"
      aria-label="${STORE_SEARCH}"
      placeholder="${STORE_SEARCH}"
    />
    <label
      ><input type="checkbox" name="show" value="attention" ${show !== undefined && html` checked`} /> only
      those that need attention</label
    >
    <button>Filter</button>
    ${(search !== undefined || show !== undefined) && html`<a href="/">${NO_FILTER}</a>`}
  </form>`;
}

function storeRow(line: StoreLine): Html {
  const { store, shop, health, problems, coverage, lastRun } = line;
  const percent = sharePercent(coverage);
  const [problem] = problems;
  return html`<tr data-row>
    <th scope="row" data-label="Store">
      <a href="${storePath(store)}">${store}</a>
      ${health.state === 'paused' ? html`<span class="badge bad">paused</span>` : problem === undefined ? html`<span class="badge good">ok</span>` : html`<span class="badge warn">${PROBLEMS[problem.kind] ?? 'needs attention'}</span>`}
      <span class="quiet">${shop}</span>
    </th>
    <td data-label="${GENERATED}">
      <a href="${pathTo('/products', { store, content: 'with' })}">
        ${percent === null ? '–' : html`${percent} %`}</a
      >
      <span class="quiet">${amount(coverage.withContent)} of ${amount(coverage.products)},</span>
      <a class="live" href="${pathTo('/products', { store, content: 'live' })}"
        >${amount(coverage.live)} live</a
      >
      ${coverageBar(coverage)} ${coverageLine(line.days)}
    </td>
    <td data-label="Last run">
      ${
        lastRun === null
          ? html`<span class="quiet">${NO_RUN_YET}</span>`
          : html`<a href="/runs/${lastRun.id}">${badge(stateOfRun(lastRun))}</a>
              ${moment(lastRun.finishedAt ?? lastRun.startedAt)}
              ${isUnderWay(lastRun) && html`<progress aria-label="The run of ${store}"></progress>`}`
      }
    </td>
    <td data-label="Next run">${scheduled(line.nextRunAt, line.timezone)}</td>
    <td data-label="Review">
      <a href="${pathTo('/review', { store })}">${amount(line.forReview)}</a>
    </td>
    <td data-label="Put off">
      <a href="${pathTo('/products', { store, content: 'owed' })}">${amount(line.owed)}</a>
    </td>
  </tr>`;
}

function workspaceSection({ workspaces }: Overview): Html {
  return html`<section aria-labelledby="workspaces">
    <h2 id="workspaces">Workspaces</h2>
    <div class="cards">${workspaces.items.map(workspaceCard)}</div>
    ${workspaces.total > workspaces.limit && html`<p class="quiet">${counted(workspaces.total - workspaces.limit, 'further workspace')}: see store-sync status.</p>`}
  </section>`;
}

function workspaceCard({ workspace, pause, webhook, credits }: WorkspaceLine): Html {
  const { remaining, perDay, daysLeft, runsOutOn } = credits;
  return html`<div class="card">
    <h3>${workspace}</h3>
    ${factList([
      [
        'Credits left',
        remaining === null
          ? 'Known once a result comes by webhook: results that are polled name none.'
          : html`<b>${creditAmount(remaining)}</b>`,
      ],
      perDay !== null && ['Used', `${creditAmount(perDay)} a day`],
      runsOutOn !== null &&
        daysLeft !== null && [
          'Run out',
          daysLeft > 3650 ? 'not within ten years' : `${runsOutOn}, ${inDays(Math.floor(daysLeft))}`,
        ],
      ['Paused', pause === null ? 'no' : html`<span class="problem">${pause}</span>`],
      ['Webhook', webhook ?? 'not checked yet'],
    ])}
    ${creditChart(workspace, credits)}
  </div>`;
}
