import type { Page } from '../../operations/paging.js';
import {
  ACTION_KINDS,
  type PlanEntry,
  type PlanEntryFilter,
  type PresentedPlan,
} from '../../operations/plans.js';
import type { SyncCost } from '../../operations/sync-cost.js';
import {
  actionForm,
  amount,
  badge,
  factList,
  moment,
  nameOf,
  pathTo,
  productPath,
  storePath,
} from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../visit.js';
import { creditAmount } from './charts.js';
import { list, LIST_KEYS } from './list.js';
import { withheldLines } from './withheld.js';

const PLAN_IS_MADE = 'Reading and planning';
export const APPLIED_BY_RUN = 'The run that applied it';
const COUNT_WORDS = {
  seen: 'seen',
  creates: 'to create',
  updates: 'to update',
  orphans: 'gone',
  unchanged: 'unchanged',
  conflicted: 'shared SKU',
} as const;
const PLAN_KINDS = { create: 'to create', adopt: 'to adopt', update: 'to update', orphan: 'gone' } as const;

export interface PlanEntryChoice extends Pick<PlanEntryFilter, 'kind' | 'search'> {
  /** The product whose entry alone is shown. */
  readonly product?: string | undefined;
}

export interface PlanView {
  readonly plan: PresentedPlan;
  readonly entries: Page<PlanEntry>;
  /** Null while it is being made. */
  readonly cost: SyncCost | null;
  /** Entries of each kind that match the rest of the filter. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly given: PlanEntryChoice;
}

export function planPage(visitor: Visitor, view: PlanView): string {
  const { plan } = view;
  return page(visitor, {
    title: `Plan of ${plan.store}`,
    section: 'plans',
    keys: LIST_KEYS,
    ...(plan.state === 'planning' ? { refreshSeconds: 3 } : {}),
    body: html`<p class="crumbs">
        <a href="${storePath(plan.store)}" data-key="u">Store ${plan.store}</a>
        <a href="/plans">Plans</a>
      </p>
      <div class="head">
        <h1>Plan of ${plan.store}</h1>
        ${
          plan.state === 'saved' &&
          plan.entries > 0 &&
          actionForm(
            `/plans/${plan.id}/apply`,
            plan.entries === 1 ? 'Apply this change' : `Apply these ${amount(plan.entries)} changes`,
            'primary',
          )
        }
      </div>
      <div data-live>${planPart(view)}</div>`,
  });
}

/** The changing part of the page. The script requests it repeatedly while `data-under-way` is present. */
function planPart(view: PlanView): Html {
  const { plan, cost } = view;
  const isPlanning = plan.state === 'planning';
  return html`<section class="card" aria-label="Plan" ${isPlanning && html` data-under-way`}>
      <p role="status">${planBadge(plan.state)} ${plan.kind} ${isPlanning && PLAN_IS_MADE}</p>
      ${isPlanning && html`<progress aria-label="${PLAN_IS_MADE}"></progress>`}
      <p class="quiet">Made ${moment(plan.createdAt)}</p>
      ${plan.error !== null && html`<p class="problem">${plan.error}</p>`}
      ${plan.incomplete !== null && html`<p class="quiet">${plan.incomplete}</p>`}
      ${!isPlanning && plan.error === null && planCounts(view)} ${cost !== null && costFacts(cost)}
      ${plan.runId !== null && html`<p><a href="/runs/${plan.runId}">${APPLIED_BY_RUN}</a></p>`}
    </section>
    ${!isPlanning && plan.error === null && entryList(view)}`;
}

const TONES_OF_STATES = {
  planning: 'running',
  saved: 'ready',
  applied: 'succeeded',
  failed: 'failed',
} as const;

export function planBadge(state: PresentedPlan['state']): Html {
  return badge(TONES_OF_STATES[state], state);
}

/** A number leads to its entries. Unchanged and conflicted products have none. */
function planCounts({ plan, kinds }: PlanView): Html {
  const path = (kind: string): string => pathTo(`/plans/${plan.id}`, { kind });
  const lists: Readonly<Record<string, string | null>> = {
    seen: pathTo('/products', { store: plan.store }),
    creates: path('create'),
    // An adoption is an update that also claims the catalog product: there is no one list of both.
    updates: (kinds['adopt'] ?? 0) === 0 ? path('update') : null,
    orphans: path('orphan'),
  };
  return html`<p class="counts">
    ${Object.entries(COUNT_WORDS).map(([name, word]) => {
      const text = html`<b>${amount(plan.counts[name] ?? 0)}</b> ${word}`;
      const to = (plan.counts[name] ?? 0) === 0 ? null : (lists[name] ?? null);
      return html`<span>${to === null ? text : html`<a href="${to}">${text}</a>`}</span> `;
    })}
  </p>`;
}

/** The cost of a sync. */
export function costFacts(cost: SyncCost): Html {
  const { generations, waiting, limitedBy, credits, creditsEach, creditsRemaining } = cost;
  return factList([
    ['Content requested for', html`<b>${amount(generations)}</b>`],
    generations > 0 && [
      'Credits',
      credits === null || creditsEach === null
        ? 'cost not known yet'
        : `about ${creditAmount(credits)} (${creditAmount(creditsEach)} each)`,
    ],
    creditsRemaining !== null && ['Credits left', creditAmount(creditsRemaining)],
    limitedBy !== null && ['For later runs', html`${amount(waiting)}, by <code>${limitedBy}</code>`],
  ]);
}

function entryList({ plan, entries, kinds, given }: PlanView): Html {
  const matching =
    given.product === undefined
      ? 'No entries match this filter.'
      : 'The plan has nothing for this product: it is in step.';
  return html`<section aria-label="Products">
    ${list({
      path: `/plans/${plan.id}`,
      given: { ...given },
      ...(plan.entries > 0 && {
        tabs: { name: 'kind', values: ACTION_KINDS, counts: kinds, labels: PLAN_KINDS } as const,
      }),
      fields: plan.entries > 0 ? [{ name: 'search', label: 'Title, ID or reason' }] : [],
      page: entries,
      heads: ['Product', 'Change', 'Reason', 'Content'],
      row: entryRow,
      none: { yet: 'There is nothing to do. Catalog and store are in step.', matching },
    })}
  </section>`;
}

const TONES = { create: 'created', adopt: 'linked', update: 'updated', orphan: 'orphaned' } as const;

function entryRow({ kind, externalId, label, reason, withheld, generation, mediaLost }: PlanEntry): Html {
  return html`<tr data-row>
    <th scope="row"><a href="${productPath(externalId)}">${nameOf(label, externalId)}</a></th>
    <td>${badge(TONES[kind], PLAN_KINDS[kind])}</td>
    <td class="said">
      ${reason} ${withheldLines(withheld)}
      ${mediaLost !== undefined && html`<p class="quiet">A generated description removes ${mediaLost}: see writeBack.keep</p>`}
    </td>
    <td data-label="Content">${generation ? 'requested' : '–'}</td>
  </tr>`;
}
