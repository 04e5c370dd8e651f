import type { Page } from '../../operations/paging.js';
import type { PlanEntry, PresentedPlan } from '../../operations/plans.js';
import type { SyncCost } from '../../operations/sync-cost.js';
import { amount, badge, moment, nameOf, pathTo, productPath, words } from '../elements.js';
import { html, type Html } from '../html.js';
import { formToken, page } from '../layout.js';
import { messages } from '../messages.js';
import type { Visitor } from '../session.guard.js';
import { creditAmount } from './charts.js';
import { list } from './list.js';
import { withheldLines } from './withheld.js';

export interface PlanView {
  readonly plan: PresentedPlan;
  readonly entries: Page<PlanEntry>;
  /** Null while it is being made. */
  readonly cost: SyncCost | null;
  /** The product whose entry alone is shown. */
  readonly product: string | undefined;
}

export function planPage(visitor: Visitor, view: PlanView): string {
  const { plan, product } = view;
  const path = `/plans/${plan.id}`;
  return page(visitor, {
    title: `Plan of ${plan.store}`,
    section: 'overview',
    ...(plan.state === 'planning' ? { refreshSeconds: 3 } : {}),
    body: html`<p class="crumbs">
        <a href="/stores/${encodeURIComponent(plan.store)}" data-key="u">Store ${plan.store}</a>
      </p>
      <div class="head">
        <h1>Plan of ${plan.store}</h1>
        ${
          plan.state === 'saved' &&
          plan.entries > 0 &&
          html`<form method="post" action="${path}/apply" class="inline">
            ${formToken(visitor)}<button class="primary">${messages.applyPlan(amount(plan.entries))}</button>
          </form>`
        }
      </div>
      <div data-live="${pathTo(`${path}/progress`, { product })}">${planFragment(view)}</div>`,
  });
}

/** The changing part of the page. The script requests it repeatedly while `data-under-way` is present. */
export function planFragment(view: PlanView): Html {
  const { plan, cost } = view;
  const isPlanning = plan.state === 'planning';
  return html`<section class="card" aria-label="Plan" ${isPlanning && html` data-under-way`}>
      <p role="status">
        ${badge(BADGES[plan.state] ?? plan.state, words(plan.state))} ${plan.kind}
        ${isPlanning && messages.planIsMade}
      </p>
      ${isPlanning && html`<progress aria-label="${messages.planIsMade}"></progress>`}
      <p class="quiet">${moment(plan.createdAt)}</p>
      ${plan.error !== null && html`<p class="problem">${plan.error}</p>`}
      ${plan.incomplete !== null && html`<p class="quiet">${plan.incomplete}</p>`}
      ${!isPlanning && plan.error === null && planCounts(plan)} ${cost !== null && costFacts(cost)}
      ${plan.runId !== null && html`<p><a href="/runs/${plan.runId}">${messages.appliedByRun}</a></p>`}
    </section>
    ${!isPlanning && plan.error === null && entryList(view)}`;
}

const BADGES: Readonly<Record<string, string>> = {
  planning: 'running',
  saved: 'ready',
  applied: 'succeeded',
};

function planCounts({ counts }: PresentedPlan): Html {
  return html`<p class="counts">
    ${(['seen', 'creates', 'updates', 'orphans', 'unchanged', 'conflicted'] as const).map(
      (name) => html`<span><b>${amount(counts[name] ?? 0)}</b> ${messages.planCounts[name]}</span> `,
    )}
  </p>`;
}

/** The cost of a sync. */
export function costFacts(cost: SyncCost): Html {
  const { generations, waiting, limitedBy, credits, creditsEach, creditsRemaining } = cost;
  return html`<dl class="facts">
    <dt>${messages.wouldRequest}</dt>
    <dd><b>${amount(generations)}</b></dd>
    ${
      generations > 0 &&
      html`<dt>Credits</dt>
        <dd>
          ${
            credits === null || creditsEach === null
              ? messages.costUnknown
              : messages.costAbout(creditAmount(credits), creditAmount(creditsEach))
          }
        </dd>`
    }
    ${
      creditsRemaining !== null &&
      html`<dt>Credits left</dt>
        <dd>${creditAmount(creditsRemaining)}</dd>`
    }
    ${
      limitedBy !== null &&
      html`<dt>${messages.leftToLater}</dt>
        <dd>${amount(waiting)}, by <code>${limitedBy}</code></dd>`
    }
  </dl>`;
}

function entryList({ plan, entries, product }: PlanView): Html {
  const none = product === undefined ? messages.emptyPlan : messages.notPlanned;
  return html`<section aria-label="Products">
    ${list({
      path: `/plans/${plan.id}`,
      given: { product },
      fields: [],
      page: entries,
      heads: ['Product', 'Change', 'Reason', 'Content'],
      row: entryRow,
      none: { yet: none, matching: none },
    })}
  </section>`;
}

const TONES = { create: 'created', adopt: 'linked', update: 'updated', orphan: 'orphaned' } as const;

function entryRow({ kind, externalId, label, reason, withheld, generation, mediaLost }: PlanEntry): Html {
  return html`<tr data-row>
    <th scope="row"><a href="${productPath(externalId)}">${nameOf(label, externalId)}</a></th>
    <td>${badge(TONES[kind], kind)}</td>
    <td>
      ${reason} ${withheldLines(withheld)}
      ${mediaLost !== undefined && html`<p class="quiet">${messages.mediaLost(mediaLost)}</p>`}
    </td>
    <td data-label="Content">${generation ? messages.requested : '–'}</td>
  </tr>`;
}
