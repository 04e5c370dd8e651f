import type { RunCounts } from '../../domain/run-counts.js';
import type { Page } from '../../operations/paging.js';
import { RUN_STATES, type PresentedRun } from '../../operations/present-run.js';
import { RUN_OUTCOMES } from '../../operations/run-items.js';
import { amount, badge, lasting, moment, pathTo, sentence, stateOfRun } from '../elements.js';
import { html, type Html } from '../html.js';
import type { Visitor } from '../visit.js';
import { listPage, storeAndDays, type ListFrame } from './list.js';

export const ERROR_SEARCH = 'Error or id';
export const OUTCOMES = {
  failed: 'failed',
  planned: 'planned',
  created: 'created',
  updated: 'updated',
  orphaned: 'gone',
  conflicted: 'shared SKU',
  owed: 'put off',
  generationRequested: 'content requested',
} as const;

export function runsPage(visitor: Visitor, runs: Page<PresentedRun>, view: ListFrame): string {
  return listPage(visitor, {
    title: 'Runs',
    section: 'runs',
    given: view.given,
    tabs: { name: 'state', values: RUN_STATES, counts: view.counts },
    fields: [{ name: 'search', label: ERROR_SEARCH }, ...storeAndDays(view.stores)],
    page: runs,
    heads: ['Run', 'State', 'Started', 'Products'],
    row: runRow,
    none: {
      yet: 'No runs yet. Start one on the overview, or wait for the schedule.',
      matching: 'No runs match this filter.',
    },
  });
}

const TRIGGERS: Readonly<Record<string, string>> = {
  schedule: 'by the schedule',
  command: 'requested at the terminal',
  api: 'requested by a person',
  event: 'after a change in the store',
  reconcile: 'taken up again',
};

/** What a run reads, and who asked for it. */
export function runTitle({ kind, trigger, requestedBy }: PresentedRun): string {
  const who = requestedBy === null ? (TRIGGERS[trigger] ?? trigger) : `requested by ${requestedBy}`;
  return `${kind === 'full' ? 'All products' : 'Changed products'}, ${who}`;
}

function runRow(run: PresentedRun): Html {
  return html`<tr data-row>
    <th scope="row">
      <a href="/runs/${run.id}">${run.store}</a> <span class="quiet">${runTitle(run)}</span>
    </th>
    <td>${badge(stateOfRun(run))}</td>
    <td data-label="Started">${moment(run.startedAt)} ${duration(run)}</td>
    <td>
      ${countList(run)} ${run.error !== null && html`<p class="problem">${sentence(run.error)}</p>`}
      ${noteList(run.notes)}
    </td>
  </tr>`;
}

function duration({ startedAt, finishedAt }: PresentedRun): Html {
  if (startedAt === null || finishedAt === null) return html``;
  return html`<span class="quiet duration">${lasting(Date.parse(finishedAt) - Date.parse(startedAt))}</span>`;
}

const COUNT_NAMES: readonly (readonly [keyof RunCounts, string])[] = [
  ['seen', 'seen'],
  ['created', 'created'],
  ['updated', 'updated'],
  ['unchanged', 'unchanged'],
  ['failed', 'failed'],
  ['conflicted', OUTCOMES.conflicted],
  ['orphaned', OUTCOMES.orphaned],
  ['owed', OUTCOMES.owed],
  ['generationRequested', OUTCOMES.generationRequested],
];

/** The counts of products that did not go on through the catalog. */
export const BESIDE_THE_WAY: readonly (keyof RunCounts)[] = ['unchanged', 'failed', 'conflicted', 'orphaned'];

/**
 * Omits counts of zero, except the number of products seen. Each count is a link to its list: on the run's page, and for all that were
 * seen the products of the store. A run records nothing about unchanged products, so that their number has no list.
 */
export function countList(
  { id, store, counts }: Pick<PresentedRun, 'id' | 'store' | 'counts'>,
  names: readonly (keyof RunCounts)[] = COUNT_NAMES.map(([name]) => name),
): Html {
  const shown = COUNT_NAMES.filter(([name]) => names.includes(name) && (name === 'seen' || counts[name] > 0));
  if (shown.length === 0) return html``;
  return html`<p class="counts">
    ${shown.map(([name, label]) => {
      const text = html`<b>${amount(counts[name])}</b> ${label}`;
      const path = listOf(name, id, store);
      return html`<span class="${name}"
        >${path === null ? text : html`<a href="${path}">${text}</a>`}</span
      > `;
    })}
  </p>`;
}

function listOf(name: keyof RunCounts, id: string, store: string): string | null {
  if (name === 'seen') return pathTo('/products', { store });
  const outcomes: readonly string[] = RUN_OUTCOMES;
  return outcomes.includes(name) ? pathTo(`/runs/${id}`, { outcome: name }) : null;
}

/** Remarks that are no errors. */
export function noteList(notes: readonly string[]): Html {
  return html`${notes.map((note) => html`<p class="quiet">${sentence(note)}</p>`)}`;
}
