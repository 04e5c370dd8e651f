import type { RunCounts } from '../../domain/run-counts.js';
import type { SyncActionEntity } from '../../persistence/entities/index.js';
import type { RunPhase } from '../../persistence/entities/sync-run.entity.js';
import type { Page } from '../../operations/paging.js';
import type { PresentedRun } from '../../operations/present-run.js';
import { errorOf } from '../../operations/standing.js';
import {
  amount,
  badge,
  counted,
  moment,
  nameOf,
  nothing,
  pager,
  pathTo,
  productPath,
  stateTabs,
} from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../session.guard.js';
import { messages } from '../messages.js';

export const RUN_STATES = ['queued', 'running', 'succeeded', 'partial', 'failed'] as const;

export function runsPage(visitor: Visitor, runs: Page<PresentedRun>, state: string | undefined): string {
  return page(visitor, {
    title: 'Runs',
    section: 'runs',
    keys: [
      ['j', 'next'],
      ['k', 'previous'],
      ['Enter', 'open'],
    ],
    body: html`<h1>Runs</h1>
      ${stateTabs('/runs', RUN_STATES, state)} ${runs.items.length === 0 && nothing(messages.noRuns)}
      <ul class="rows">
        ${runs.items.map(
          (run) =>
            html`<li data-row>
              <p class="what"><a href="/runs/${run.id}">${run.store}: ${run.kind} by ${run.trigger}</a></p>
              <p>${badge(run.status)} ${moment(run.startedAt)}</p>
              ${countList(run.counts)} ${run.error !== null && html`<p class="problem">${run.error}</p>`}
            </li>`,
        )}
      </ul>
      ${pager(runs, (offset) => pathTo('/runs', { state, offset }))}`,
  });
}

const COUNT_NAMES: readonly (readonly [keyof RunCounts, string])[] = [
  ['seen', 'seen'],
  ['created', 'created'],
  ['updated', 'updated'],
  ['unchanged', 'unchanged'],
  ['failed', 'failed'],
  ['conflicted', 'conflicted'],
  ['orphaned', 'orphaned'],
  ['generationRequested', messages.generationsRequested],
];

/** Omits counts of zero, except the number of products seen. */
export function countList(counts: RunCounts): Html {
  const shown = COUNT_NAMES.filter(([name]) => name === 'seen' || counts[name] > 0);
  return html`<p class="counts">
    ${shown.map(([name, label]) => html`<span class="${name}"><b>${amount(counts[name])}</b> ${label}</span> `)}
  </p>`;
}

export interface RunProgress {
  readonly run: PresentedRun;
  readonly phase: RunPhase;
  /** Actions of the run's plan: settled ones, and all of them. */
  readonly settled: number;
  readonly planned: number;
  readonly failures: readonly SyncActionEntity[];
}

export function isUnderWay(run: PresentedRun): boolean {
  return run.status === 'queued' || run.status === 'running';
}

export function runPage(visitor: Visitor, progress: RunProgress): string {
  const { run } = progress;
  return page(visitor, {
    title: `Run of ${run.store}`,
    section: 'runs',
    ...(isUnderWay(run) ? { refreshSeconds: 3 } : {}),
    body: html`<p class="crumbs"><a href="/runs" data-key="u">Runs</a></p>
      <h1>Run of ${run.store}</h1>
      <p>${messages.askedForBy(run.kind, run.trigger)} <span class="quiet">· ${run.id}</span></p>
      <div data-live="/runs/${run.id}/progress">${progressFragment(progress)}</div>`,
  });
}

/** The changing part of a run's page. The script requests it repeatedly while `data-under-way` is present. */
export function progressFragment({ run, phase, settled, planned, failures }: RunProgress): Html {
  const underWay = isUnderWay(run);
  return html`<section class="card" aria-label="Progress" ${underWay && html` data-under-way`}>
      <p role="status">${badge(run.status)} <b>${stepOf(run, phase)}</b></p>
      ${progressBar(run, phase, settled, planned)} ${countList(run.counts)}
      <dl class="facts">
        <dt>Began</dt>
        <dd>${moment(run.startedAt)}</dd>
        <dt>Ended</dt>
        <dd>${moment(run.finishedAt)}</dd>
      </dl>
      ${run.error !== null && html`<p class="problem">${run.error}</p>`}
    </section>
    ${
      failures.length > 0 &&
      html`<section aria-labelledby="failures">
        <h2 id="failures">Failed products</h2>
        <ul class="rows">
          ${failures.map(
            (action) =>
              html`<li>
                <p class="what">
                  <a href="${productPath(action.externalId)}">${nameOf(action.label, action.externalId)}</a>
                </p>
                <p>${action.kind}</p>
                <p class="problem">${errorOf(action)}</p>
              </li>`,
          )}
        </ul>
      </section>`
    }`;
}

function progressBar(run: PresentedRun, phase: RunPhase, settled: number, planned: number): Html {
  if (!isUnderWay(run)) return html``;
  if (phase === 'extract' || planned === 0)
    return html`<progress aria-label="${messages.readingTheStore}"></progress>`;
  return html`<progress aria-label="${messages.sentToCatalog}" max="${planned}" value="${settled}"></progress>
    <p>${amount(settled)} of ${counted(planned, 'change')} sent</p>`;
}

function stepOf(run: PresentedRun, phase: RunPhase): string {
  switch (run.status) {
    case 'queued':
      return messages.runWaits;
    case 'running':
      return phase === 'extract' ? messages.runReads : messages.runApplies;
    case 'succeeded':
      return messages.runDone;
    case 'partial':
      return messages.runPartial;
    case 'failed':
      return 'Failed';
  }
}
