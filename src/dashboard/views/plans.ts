import type { Page } from '../../operations/paging.js';
import { PLAN_STATES, type PresentedPlan } from '../../operations/plans.js';
import { counted, moment, sentence } from '../elements.js';
import { html, type Html } from '../html.js';
import type { Visitor } from '../visit.js';
import { listPage, storeAndDays, type ListFrame } from './list.js';
import { APPLIED_BY_RUN, planBadge } from './plan.js';
import { ERROR_SEARCH } from './runs.js';

/** The saved plans, newest first. */
export function plansPage(
  visitor: Visitor,
  plans: Page<PresentedPlan>,
  { given, counts, stores }: ListFrame,
): string {
  return listPage(visitor, {
    title: 'Plans',
    section: 'plans',
    crumbs: html`<p class="crumbs"><a href="/runs" data-key="u">Runs</a></p>`,
    lead: html`<p>A plan shows what a sync would do. A saved plan is applied once, exactly as it is.</p>`,
    given,
    // Unlike a text, a plan that was applied is not live.
    tabs: { name: 'state', values: PLAN_STATES, counts, labels: { applied: 'applied' } },
    fields: [{ name: 'search', label: ERROR_SEARCH }, ...storeAndDays(stores)],
    page: plans,
    heads: ['Plan', 'State', 'Made', 'Changes'],
    row,
    none: {
      yet: 'No plans yet. Make one on the page of a store, or with store-sync plan --save.',
      matching: 'No plans match this filter.',
    },
  });
}

function row({ id, store, kind, state, entries, createdAt, error, runId }: PresentedPlan): Html {
  return html`<tr data-row>
    <th scope="row"><a href="/plans/${id}">${store}: ${kind}</a></th>
    <td>${planBadge(state)}</td>
    <td data-label="Made">${moment(createdAt)}</td>
    <td>
      ${state === 'planning' || state === 'failed' ? '–' : counted(entries, 'change')}
      ${runId !== null && html`<a href="/runs/${runId}">${APPLIED_BY_RUN}</a>`}
      ${error !== null && html`<p class="problem">${sentence(error)}</p>`}
    </td>
  </tr>`;
}
