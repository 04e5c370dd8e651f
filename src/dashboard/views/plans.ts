import type { Page } from '../../operations/paging.js';
import { PLAN_STATES, type PresentedPlan } from '../../operations/plans.js';
import { counted, moment, sentence } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import { messages } from '../messages.js';
import type { Visitor } from '../session.guard.js';
import { list, LIST_KEYS, storeAndDays, type GivenFilter } from './list.js';
import { planBadge } from './plan.js';

/** The filter of the list, and what stands around it. */
export interface PlanList {
  readonly given: GivenFilter;
  /** Plans of each state that match the rest of the filter. */
  readonly counts: Readonly<Record<string, number>>;
  readonly stores: readonly string[];
}

/** The saved plans, newest first. */
export function plansPage(
  visitor: Visitor,
  plans: Page<PresentedPlan>,
  { given, counts, stores }: PlanList,
): string {
  return page(visitor, {
    title: 'Plans',
    section: 'runs',
    keys: LIST_KEYS,
    body: html`<p class="crumbs"><a href="/runs" data-key="u">Runs</a></p>
      <h1>Plans</h1>
      <p>${messages.plansIntro}</p>
      ${list({
        path: '/plans',
        given,
        tabs: { name: 'state', values: PLAN_STATES, counts },
        fields: [{ name: 'search', label: messages.errorSearch }, ...storeAndDays(stores)],
        page: plans,
        heads: ['Plan', 'State', 'Made', 'Changes'],
        row,
        none: { yet: messages.noPlansYet, matching: messages.noPlans },
      })}`,
  });
}

function row({ id, store, kind, state, entries, createdAt, error, runId }: PresentedPlan): Html {
  return html`<tr data-row>
    <th scope="row"><a href="/plans/${id}">${messages.planOf(store, kind)}</a></th>
    <td>${planBadge(state)}</td>
    <td data-label="Made">${moment(createdAt)}</td>
    <td>
      ${state === 'planning' || state === 'failed' ? '–' : counted(entries, 'change')}
      ${runId !== null && html`<a href="/runs/${runId}">${messages.appliedByRun}</a>`}
      ${error !== null && html`<p class="problem">${sentence(error)}</p>`}
    </td>
  </tr>`;
}
