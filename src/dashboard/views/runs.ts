import type { RunCounts } from '../../domain/run-counts.js';
import type { Page } from '../../operations/paging.js';
import type { PresentedRun } from '../../operations/present-run.js';
import { amount, badge, lasting, moment, nothing, pager, pathTo, stateTabs } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../session.guard.js';
import { messages } from '../messages.js';

export const RUN_STATES = ['queued', 'running', 'succeeded', 'partial', 'failed'] as const;

export function runsPage(
  visitor: Visitor,
  runs: Page<PresentedRun>,
  { state, store }: { readonly state?: string | undefined; readonly store?: string | undefined },
): string {
  return page(visitor, {
    title: 'Runs',
    section: 'runs',
    keys: [
      ['j', 'next'],
      ['k', 'previous'],
      ['Enter', 'open'],
    ],
    body: html`<h1>Runs</h1>
      ${stateTabs('/runs', RUN_STATES, state)} ${runs.total === 0 && nothing(messages.noRuns)}
      <ul class="rows">
        ${runs.items.map(
          (run) =>
            html`<li data-row>
              <p class="what"><a href="/runs/${run.id}">${run.store}: ${run.kind} by ${run.trigger}</a></p>
              <p>${badge(run.status)} ${moment(run.startedAt)} ${duration(run)}</p>
              ${countList(run.counts)} ${run.error !== null && html`<p class="problem">${run.error}</p>`}
              ${noteList(run.notes)}
            </li>`,
        )}
      </ul>
      ${pager(runs, (offset) => pathTo('/runs', { state, store, offset }))}`,
  });
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

/** Omits counts of zero, except the number of products seen. */
export function countList(counts: RunCounts): Html {
  const shown = COUNT_NAMES.filter(([name]) => name === 'seen' || counts[name] > 0);
  return html`<p class="counts">
    ${shown.map(([name, label]) => html`<span class="${name}"><b>${amount(counts[name])}</b> ${label}</span> `)}
  </p>`;
}

/** Remarks that are no errors. */
export function noteList(notes: readonly string[]): Html {
  return html`${notes.map((note) => html`<p class="quiet">${note}</p>`)}`;
}
