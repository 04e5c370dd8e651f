import { isUnderWay, type PresentedRun } from '../../operations/present-run.js';
import {
  RUN_OUTCOMES,
  type FieldChange,
  type RunItem,
  type RunItemPage,
  type RunItemQuery,
} from '../../operations/run-items.js';
import type { OpenedRun, RunProgress } from '../../operations/runs.js';
import { words } from '../../operations/state-words.js';
import {
  actionForm,
  amount,
  badge,
  counted,
  factList,
  lasting,
  moment,
  nameOf,
  pathTo,
  productPath,
  sentence,
  stateOfRun,
  storePath,
} from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../visit.js';
import { wordDiff } from '../word-diff.js';
import { markedText } from './write-back-parts.js';
import { creditAmount } from './charts.js';
import { list, LIST_KEYS } from './list.js';
import { BESIDE_THE_WAY, countList, noteList, OUTCOMES, runTitle } from './runs.js';
import { withTitles, type Titles } from './withheld.js';
import { RETRY_FAILURES } from './attention.js';

export const RUN_STOPPED = 'The run was cancelled.';
export const PLAN_ALL = 'Plan everything';
export const PLAN_CHANGES = 'Plan changes';
const STEPS = {
  export: 'Export',
  plan: 'Plan',
  apply: 'Send changes',
  creations: 'Follow creations',
  generation: 'Request content',
} as const;

export interface RunView extends OpenedRun {
  readonly progress: RunProgress;
  readonly items: RunItemPage;
  readonly changes: ReadonlyMap<string, readonly FieldChange[]>;
  /** Titles of the products that the reasons name. */
  readonly titles: Titles;
  /** The texts that were generated for the run, by state. */
  readonly texts: Readonly<Record<string, number>>;
  readonly choice: Pick<RunItemQuery, 'outcome' | 'search'>;
  readonly now: Date;
}

export function runPage(visitor: Visitor, view: RunView): string {
  const { run } = view;
  return page(visitor, {
    title: `Run of ${run.store}`,
    section: 'runs',
    ...(isUnderWay(run) ? { refreshSeconds: 3 } : {}),
    keys: LIST_KEYS,
    body: html`<p class="crumbs"><a href="/runs" data-key="u">Runs</a></p>
      <h1>Run of ${run.store}</h1>
      <p class="quiet">${runTitle(run)}</p>
      ${run.stoppedByLimit && beyondLimit(run)}
      <div data-live>${progressPart(view)}</div>`,
  });
}

/** Cancels a run that has not ended; runs the failures of one that has again. */
function runForms({ run, stopping }: RunView): Html {
  if (isUnderWay(run)) {
    return stopping ? html`` : actionForm(`/runs/${run.id}/cancel`, 'Cancel', 'danger');
  }
  if (run.counts.failed + run.counts.owed === 0) return html``;
  return actionForm(`/runs/${run.id}/retry`, RETRY_FAILURES);
}

/** For admins, after a share limit stopped a run: links to its plan and to a run without the limits. */
function beyondLimit(run: PresentedRun): Html {
  const path = storePath(run.store);
  const isFull = run.kind === 'full';
  const kind = isFull ? 'full' : 'changed';
  return html`<section class="card admin-only" aria-labelledby="limit">
    <h2 id="limit">Stopped by a limit</h2>
    <p>
      The run would change more than the limits allow, so nothing was applied. A plan shows every change. If
      the store is right, run it without the limits.
    </p>
    <div class="actions">
      ${actionForm(`${path}/plan`, isFull ? PLAN_ALL : PLAN_CHANGES, '', { kind })}
      ${actionForm(`${path}/sync`, 'Run without the limits', 'danger', { kind, force: 'true' })}
    </div>
  </section>`;
}

/** The changing part of a run's page. The script requests it repeatedly while `data-under-way` is present. */
function progressPart(view: RunView): Html {
  const { run, stopping, now } = view;
  return html`<section class="card" aria-label="Progress" ${isUnderWay(run) && html` data-under-way`}>
      <div class="head">
        <p role="status">
          ${badge(stateOfRun(run))} <b>${stopping ? 'Stopping at the next safe point' : stepOf(view)}</b>
        </p>
        ${runForms(view)}
      </div>
      ${progressBar(view)} ${funnel(view)}
      ${run.error !== null && html`<p class="problem">${sentence(run.error)}</p>`} ${noteList(run.notes)}
      ${factList([
        ['Began', moment(run.startedAt)],
        ['Ended', moment(run.finishedAt)],
        ['Duration', durationOf(run.startedAt, run.finishedAt ?? now.toISOString())],
        [
          'Requests',
          `${amount(run.requests.catalog)} to the catalog, ${amount(run.requests.store)} to the store`,
        ],
        ['Credits', creditsOf(view)],
      ])}
      ${stepTable(run, now)}
    </section>
    ${itemSection(view)}`;
}

function creditsOf({ run, credits }: RunView): string {
  if (credits !== null) return creditAmount(credits);
  return run.counts.generationRequested === 0 ? 'none used' : 'not known yet';
}

function progressBar({ run, items, progress }: RunView): Html {
  const { step, settled, planned, left, perSecond, secondsLeft } = progress;
  const bar = (done: number, total: number, text: string): Html =>
    html`<progress aria-label="${STEPS[step ?? 'plan']}" max="${total}" value="${done}"></progress>
      <p>${text}</p>`;
  if (!isUnderWay(run)) return html``;
  switch (step) {
    case 'apply': {
      if (planned === 0) break;
      const speed =
        perSecond === null || secondsLeft === null
          ? ''
          : `, ${perSecond.toPrecision(2)} per second, about ${lasting(secondsLeft * 1000)} left`;
      return bar(settled, planned, `${amount(settled)} of ${counted(planned, 'change')} sent${speed}`);
    }
    case 'creations': {
      const created = Math.max(0, settled - left);
      return bar(
        created,
        Math.max(1, created + left),
        `The catalog is still creating ${counted(left, 'product')}`,
      );
    }
    case 'generation': {
      const done = items.outcomes.generationRequested;
      return bar(
        done,
        Math.max(1, done + left),
        `Content requested for ${amount(done)} of ${counted(done + left, 'product')}`,
      );
    }
    default:
  }
  return html`<progress aria-label="${STEPS[step ?? 'plan']}"></progress>
    ${run.counts.seen > 0 && html`<p>${counted(run.counts.seen, 'product')} read</p>`}`;
}

const STEP_UNDER_WAY = {
  export: 'The store prepares its export',
  plan: 'Reading the store and planning',
  apply: 'Sending changes to the catalog',
  creations: 'Waiting for products that the catalog creates',
  generation: 'Requesting content',
} as const;

function stepOf({ run, progress }: RunView): string {
  switch (run.status) {
    case 'queued':
      return 'Waiting for a worker';
    case 'running':
      return STEP_UNDER_WAY[progress.step ?? 'plan'];
    case 'succeeded':
      return 'Completed';
    case 'partial':
      return 'Completed, except for some products';
    case 'failed':
      return run.error === null ? RUN_STOPPED : 'Failed';
  }
}

/** The way of the run's products, from the store and back, each number with its list; what is beside the way stands below. */
function funnel({ run, items, texts }: RunView): Html {
  const { id, store, counts } = run;
  const path = `/runs/${id}`;
  const { created, updated, generationRequested } = isUnderWay(run) ? items.outcomes : counts;
  const written = texts['applied'] ?? 0;
  const waiting = (texts['pending_review'] ?? 0) + (texts['ready'] ?? 0);
  const generated = Object.values(texts).reduce((sum, count) => sum + count, 0);
  const steps = [
    ['Read', counts.seen, pathTo('/products', { store })],
    ['Sent', created + updated, pathTo(path, { outcome: 'sent' })],
    ['Requested', generationRequested, pathTo(path, { outcome: 'generationRequested' })],
    ['Generated', generated, pathTo('/journal', { run: id })],
    ['Written', written, pathTo('/journal', { run: id, state: 'applied' })],
    ['Waiting', waiting, pathTo('/journal', { run: id, state: waitingState(texts) })],
    ['Put off', counts.owed, pathTo('/products', { store, content: 'owed' })],
  ] as const;
  return html`<ol class="funnel" aria-label="The way of the products">
      ${steps.map(
        ([name, count, to]) =>
          html`<li>
            <a href="${to}"><b>${amount(count)}</b> <span>${name}</span></a>
          </li>`,
      )}
    </ol>
    ${countList(run, BESIDE_THE_WAY)}`;
}

/** The state of the texts that wait; undefined where they have several, because a list has one state or all. */
function waitingState({ ready = 0, pending_review: forReview = 0 }: RunView['texts']): string | undefined {
  if (ready > 0 && forReview > 0) return undefined;
  return ready > 0 ? 'ready' : 'pending_review';
}

/** The steps with their durations. */
function stepTable({ steps, finishedAt }: PresentedRun, now: Date): Html {
  if (steps.length === 0) return html``;
  const end = finishedAt === null ? now.getTime() : Date.parse(finishedAt);
  return html`<table class="steps">
    <caption class="hidden">
      The steps of the run, with their durations
    </caption>
    <tbody>
      ${steps.map(({ step, ...times }) => {
        const until = times.finishedAt === null ? end : Date.parse(times.finishedAt);
        return html`<tr>
          <th scope="row">${STEPS[step]}</th>
          <td>${lasting(until - Date.parse(times.startedAt))}</td>
        </tr>`;
      })}
    </tbody>
  </table>`;
}

function durationOf(startedAt: string | null, until: string): string {
  return startedAt === null ? '–' : lasting(Date.parse(until) - Date.parse(startedAt));
}

function itemSection({ run, items, choice, changes, titles }: RunView): Html {
  const path = `/runs/${run.id}`;
  const given = { outcome: choice.outcome, search: choice.search };
  const met = RUN_OUTCOMES.filter((outcome) => items.outcomes[outcome] > 0 || outcome === choice.outcome);
  return html`<section aria-labelledby="items">
    <div class="head">
      <h2 id="items">Products</h2>
      ${items.total > 0 && html`<a href="${pathTo(`${path}/items.csv`, given)}" download>CSV</a>`}
    </div>
    ${list({
      path,
      given,
      tabs: { name: 'outcome', values: met, counts: items.outcomes, labels: OUTCOMES },
      fields: [{ name: 'search', label: 'Title, ID, SKU or barcode' }],
      page: items,
      heads: ['Product', 'Outcome', 'Reason and changes'],
      row: (item) => itemRow(item, changes.get(item.externalId) ?? [], titles),
      none: {
        yet: isUnderWay(run)
          ? 'No products yet. They appear here as soon as the plan is made.'
          : 'The run changed nothing.',
        matching: 'No products match this filter.',
      },
    })}
  </section>`;
}

function itemRow(item: RunItem, changes: readonly FieldChange[], titles: Titles): Html {
  const { outcome, externalId, label, reason } = item;
  const isSent =
    outcome === 'created' || outcome === 'updated' || outcome === 'failed' || outcome === 'planned';
  return html`<tr data-row>
    <th scope="row"><a href="${productPath(externalId)}">${nameOf(label, externalId)}</a></th>
    <td>${badge(outcome, OUTCOMES[outcome])}</td>
    <td>
      <p class="${outcome === 'failed' ? 'problem' : 'quiet'}">${withTitles(reason, titles)}</p>
      ${
        isSent &&
        changes.length > 0 &&
        html`<details class="changes">
          <summary>
            ${outcome === 'created' ? 'Sent fields' : changes.map(({ field }) => words(field)).join(', ')}
          </summary>
          ${changes.map(changeBlock)}
        </details>`
      }
    </td>
  </tr>`;
}

function changeBlock({ field, before, after }: FieldChange): Html {
  const text =
    before === null || after === null ? (after ?? before ?? '') : markedText(wordDiff(before, after));
  return html`<h3>${words(field)}</h3>
    <p class="text" dir="auto">${text}</p>`;
}
