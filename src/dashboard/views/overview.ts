import type { PresentedRun } from '../../operations/present-run.js';
import type { Status, StoreStatus, WorkspaceStatus } from '../../operations/status.js';
import { amount, badge, counted, moment, nameOf, nothing, pathTo, productPath } from '../elements.js';
import { html, type Html } from '../html.js';
import { formToken, page } from '../layout.js';
import type { Visitor } from '../session.guard.js';
import { runChart } from './run-chart.js';
import { countList } from './runs.js';
import { messages } from '../messages.js';

export interface StoreOutlook {
  readonly status: StoreStatus;
  /** The next time of the schedule. */
  readonly nextRunAt: Date | null;
  /** Newest first. */
  readonly runs: readonly PresentedRun[];
}

export function overviewPage(visitor: Visitor, status: Status, stores: readonly StoreOutlook[]): string {
  const { backlog, deadLetters } = status;
  const waiting = stores.reduce((sum, store) => sum + (store.status.writeBacks['pending_review'] ?? 0), 0);
  return page(visitor, {
    title: 'Overview',
    section: 'overview',
    body: html`<h1>Overview</h1>
      ${status.stores.map((store) => pauseBanner(visitor, store))}
      <section aria-labelledby="work">
        <h2 id="work">Work</h2>
        <ul class="tiles">
          ${tile(messages.waitingForReview, waiting, '/review', waiting > 0 ? 'busy' : 'calm')}
          ${tile(messages.resultsAwaited, backlog.tasks, '/products', 'calm')}
          ${tile(messages.deliveriesToInterpret, backlog.deliveries, pathTo('/deliveries', { state: 'received' }), 'calm')}
          ${tile(messages.writesToMake, backlog.writeBacks, pathTo('/journal', { state: 'ready' }), 'calm')}
        </ul>
        <h3>Dead letters</h3>
        <ul class="tiles">
          ${tile('Deliveries parked', status.deliveries['parked'] ?? 0, pathTo('/deliveries', { state: 'parked' }), 'warn')}
          ${tile('Deliveries failed', status.deliveries['failed'] ?? 0, pathTo('/deliveries', { state: 'failed' }), 'bad')}
          ${tile('Writes failed', deadLetters.writeBacks, pathTo('/journal', { state: 'failed' }), 'bad')}
          ${tile(messages.generationsGivenUp, deadLetters.tasks, '/products', 'warn')}
        </ul>
      </section>
      ${stores.length === 0 && nothing(messages.noStores)}
      ${stores.map((store) => storeSection(visitor, store))}
      <section aria-labelledby="workspaces">
        <h2 id="workspaces">Workspaces</h2>
        ${status.workspaces.map(workspaceCard)}
      </section>`,
  });
}

/** Shown until the pause ends: everything else on the page may look well meanwhile. */
function pauseBanner(visitor: Visitor, { store, health, writeBacks }: StoreStatus): Html | false {
  if (health.state === 'ok') return false;
  const waiting = writeBacks['ready'] ?? 0;
  const title = health.scope === 'writes' ? messages.writingPaused(store) : messages.storePaused(store);
  const second = (at: string | null): string => at?.slice(0, 19).replace('T', ' ') ?? '–';
  return html`<section class="banner" aria-labelledby="paused-${store}">
    <div>
      <h2 id="paused-${store}">${title}</h2>
      <p>${health.reason ?? messages.noPauseReason}</p>
      <p>${messages.pausedTimes(second(health.since), second(health.nextTry))}</p>
      ${waiting > 0 && html`<p><a href="${pathTo('/journal', { state: 'ready', store })}">${messages.pendingWrites(waiting)}</a></p>`}
    </div>
    <form method="post" action="/stores/${encodeURIComponent(store)}/retry" class="inline">
      ${formToken(visitor)}<button class="primary">Try now</button>
    </form>
  </section>`;
}

function tile(label: string, count: number, path: string, tone: string): Html {
  return html`<li class="tile ${count > 0 ? tone : 'calm'}">
    <a href="${path}"><b>${amount(count)}</b> <span>${label}</span></a>
  </li>`;
}

function storeSection(visitor: Visitor, { status, nextRunAt, runs }: StoreOutlook): Html {
  const newest = runs[0];
  const id = `store-${status.store}`;
  return html`<section class="card" aria-labelledby="${id}">
    <div class="head">
      <h2 id="${id}">Store ${status.store}</h2>
      <form method="post" action="/stores/${encodeURIComponent(status.store)}/sync" class="inline">
        ${formToken(visitor)}
        <button name="kind" value="changed">Sync changes</button>
        <button name="kind" value="full">Sync everything</button>
      </form>
    </div>
    <div class="columns">
      <dl class="facts">
        <dt>Shop</dt>
        <dd>${status.shop}</dd>
        <dt>Next run</dt>
        <dd>${nextRunAt === null ? 'not scheduled' : html`${moment(nextRunAt)} UTC`}</dd>
        <dt>${messages.readUpTo}</dt>
        <dd>${moment(status.watermark)}</dd>
        <dt>Products</dt>
        <dd>${stateCounts(status.products, '/products')}</dd>
        <dt>Write-backs</dt>
        <dd>${stateCounts(status.writeBacks, '/journal')}</dd>
        ${held(status)}
        <dt>Generations</dt>
        <dd>${stateCounts(status.tasks, null)}</dd>
        ${
          status.owed.count > 0 &&
          html`<dt>${messages.owedToNextRun}</dt>
            <dd>
              <ul class="plain">
                ${status.owed.reasons.map(({ count, reason }) => html`<li>${amount(count)}: ${reason}</li>`)}
              </ul>
            </dd>`
        }
      </dl>
      <div>
        <h3>Last runs</h3>
        ${newest === undefined ? nothing(messages.noRunYet) : lastRuns(status.store, newest, runs)}
      </div>
    </div>
    ${status.unsuccessful.length > 0 && unsuccessful(status)}
    ${status.gone !== null && status.gone.count > 0 && goneProducts(status.store, status.gone)}
  </section>`;
}

/** Writes that wait although the store works, and values that no setting maps. */
function held({ held: { limits, gates }, unmappedParts }: StoreStatus): Html {
  const capped = Object.entries(limits).filter(([, count]) => count > 0);
  const lines = [
    ...capped.map(([limit, count]) => html`<li>${messages.capped(count, limit)}</li>`),
    ...Object.entries(gates).map(([gate, count]) => html`<li>${messages.gated(count, gate)}</li>`),
    ...(unmappedParts > 0 ? [html`<li>${messages.unmapped(unmappedParts)}</li>`] : []),
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

function lastRuns(store: string, newest: PresentedRun, runs: readonly PresentedRun[]): Html {
  return html`${runChart(store, runs)}
    <ul class="legend" aria-label="${messages.chartColours}">
      <li class="created">created</li>
      <li class="updated">updated</li>
      <li class="unchanged">unchanged</li>
      <li class="failed">failed</li>
    </ul>
    <p>
      <a href="/runs/${newest.id}">Newest: ${newest.kind} by ${newest.trigger}</a> ${badge(newest.status)}
      ${moment(newest.finishedAt ?? newest.startedAt)}
    </p>
    ${countList(newest.counts)} ${newest.error !== null && html`<p class="problem">${newest.error}</p>`}`;
}

function stateCounts(counts: Readonly<Record<string, number>>, path: string | null): Html {
  const states = Object.entries(counts).filter(([, count]) => count > 0);
  if (states.length === 0) return html`<span class="quiet">none</span>`;
  return html`<span class="chips"
    >${states.map(([state, count]) => {
      const shown = html`${badge(state)} ${amount(count)}`;
      return path === null
        ? html`<span>${shown}</span>`
        : html`<a href="${pathTo(path, { state })}">${shown}</a>`;
    })}</span
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

function workspaceCard({ workspace, creditsRemaining, paused, webhook }: WorkspaceStatus): Html {
  return html`<div class="card">
    <h3>${workspace}</h3>
    <dl class="facts">
      <dt>Credits left</dt>
      <dd>${creditsRemaining === null ? messages.notReported : html`<b>${amount(creditsRemaining)}</b>`}</dd>
      <dt>Paused</dt>
      <dd>${paused === null ? 'no' : html`<span class="problem">${paused}</span>`}</dd>
      <dt>Webhook</dt>
      <dd>${webhook ?? messages.notChecked}</dd>
    </dl>
  </div>`;
}
