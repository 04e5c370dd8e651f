import type { RunCounts } from '../../domain/run-counts.js';
import type { Page } from '../../operations/paging.js';
import type { PresentedRun } from '../../operations/present-run.js';
import { RUN_OUTCOMES } from '../../persistence/run-item.repository.js';
import { amount, badge, lasting, moment, nothing, pager, pathTo, stateTabs } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../session.guard.js';
import { messages } from '../messages.js';
import { withoutAbsent } from '../write-back-query.js';
import { isEmpty, simpleFilter } from './filter-form.js';

export const RUN_STATES = ['queued', 'running', 'succeeded', 'partial', 'failed'] as const;

/** The filter of the list, and what stands around it. */
export interface RunList {
  readonly given: {
    readonly state?: string | undefined;
    readonly store?: string | undefined;
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly search?: string | undefined;
  };
  readonly counts: Readonly<Record<string, number>>;
  readonly stores: readonly string[];
}

export function runsPage(visitor: Visitor, runs: Page<PresentedRun>, list: RunList): string {
  const { given, counts, stores } = list;
  const { state, ...others } = given;
  return page(visitor, {
    title: 'Runs',
    section: 'runs',
    keys: [
      ['j', 'next'],
      ['k', 'previous'],
      ['Enter', 'open'],
      ['/', 'search'],
    ],
    body: html`<h1>Runs</h1>
      ${stateTabs('/runs', RUN_STATES, state, withoutAbsent(others), counts)}
      ${simpleFilter('/runs', { state }, [
        { name: 'search', label: messages.errorSearch, value: given.search, type: 'search' },
        { name: 'store', label: 'Store', value: given.store, options: stores },
        { name: 'from', label: 'From', value: given.from, type: 'date' },
        { name: 'to', label: 'To', value: given.to, type: 'date' },
      ])}
      ${runs.total === 0 && nothing(isEmpty(given) ? messages.noRunsYet : messages.noRuns)}
      ${
        runs.items.length > 0 &&
        html`<table class="list">
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">State</th>
              <th scope="col">Started</th>
              <th scope="col">Products</th>
            </tr>
          </thead>
          <tbody>
            ${runs.items.map(runRow)}
          </tbody>
        </table>`
      }
      ${pager(runs, (offset) => pathTo('/runs', { ...given, offset }))}`,
  });
}

function runRow(run: PresentedRun): Html {
  return html`<tr data-row>
    <th scope="row"><a href="/runs/${run.id}">${run.store}: ${run.kind} by ${run.trigger}</a></th>
    <td>${badge(run.status)}</td>
    <td data-label="Started">${moment(run.startedAt)} ${duration(run)}</td>
    <td>
      ${countList(run.counts, run.id)} ${run.error !== null && html`<p class="problem">${run.error}</p>`}
      ${noteList(run.notes)}
    </td>
  </tr>`;
}

function duration({ startedAt, finishedAt }: PresentedRun): Html {
  if (startedAt === null || finishedAt === null) return html``;
  return html`<span class="quiet">${lasting(Date.parse(finishedAt) - Date.parse(startedAt))}</span>`;
}

const COUNT_NAMES: readonly (readonly [keyof RunCounts, string])[] = [
  ['seen', 'seen'],
  ['created', 'created'],
  ['updated', 'updated'],
  ['unchanged', 'unchanged'],
  ['failed', 'failed'],
  ['conflicted', 'conflicted'],
  ['orphaned', 'orphaned'],
  ['owed', 'owed'],
  ['generationRequested', messages.generationsRequested],
];

/** Omits counts of zero, except the number of products seen. Each count that the run's page lists is a link to that list. */
export function countList(counts: RunCounts, runId: string): Html {
  const shown = COUNT_NAMES.filter(([name]) => name === 'seen' || counts[name] > 0);
  const outcomes: readonly string[] = RUN_OUTCOMES;
  return html`<p class="counts">
    ${shown.map(([name, label]) => {
      const text = html`<b>${amount(counts[name])}</b> ${label}`;
      const isListed = outcomes.includes(name);
      return html`<span class="${name}"
        >${isListed ? html`<a href="${pathTo(`/runs/${runId}`, { outcome: name })}">${text}</a>` : text}</span
      > `;
    })}
  </p>`;
}

/** Remarks that are no errors. */
export function noteList(notes: readonly string[]): Html {
  return html`${notes.map((note) => html`<p class="quiet">${note}</p>`)}`;
}
