import type { BulkAction } from '../../domain/write-back-filter.js';
import { bulkApprovalSummary } from '../../operations/approval-summary.js';
import type { BulkChangeSummary, PresentedBulkChange } from '../../operations/bulk-changes.js';
import type { ObjectionCounts } from '../../operations/write-back-review.js';
import { words } from '../../operations/state-words.js';
import { actionForm, amount, badge, counted, factList, moment, pathTo } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../visit.js';
import { withoutAbsent, type GivenFilter } from '../write-back-query.js';
import { targetName, writeBackPath } from './write-back-parts.js';
import { BACK_TO_LIST } from './list.js';

export const BULK_CHANGES = 'Bulk changes';
export const leftAsIs = (count: number): string => `${count} left unchanged`;
const BULK_TITLE = {
  approve: 'Approve all that match',
  reject: 'Reject all that match',
  revert: 'Revert all that match',
  reapply: 'Apply all again that match',
} as const;
const BULK_MEANING = {
  approve:
    'The texts are written to the live shop. Fields that the merchant edited since and texts that a gate holds back are left.',
  reject: 'None of these texts is written to the shop.',
  revert: 'A dry run first shows which fields would get their previous text back, and which would be left.',
  reapply: 'Reverted texts are written to the live shop again, except where somebody edited them since.',
} as const;
export const NO_WRITE_BACKS = 'No texts match this filter.';
const BULK_VERB = { approve: 'Approve', reject: 'Reject', revert: 'Revert', reapply: 'Apply again' } as const;
export const REST_OMITTED = 'The rest is omitted here.';

export interface BulkQuestion {
  readonly action: BulkAction;
  readonly given: GivenFilter;
  readonly count: number;
  /** ISO time of the count: the change leaves out what happens later. */
  readonly until: string;
  /** What stands against the approval of these texts; null for another action. */
  readonly objections: ObjectionCounts | null;
}

/** The address of the question about all that a filter selects. */
export function bulkPath(action: BulkAction, given: GivenFilter): string {
  return pathTo('/bulk/new', { action, ...given });
}

/** The question before a change of many. A revert begins with its dry run. */
export function bulkQuestionPage(visitor: Visitor, question: BulkQuestion): string {
  const { action, given, count } = question;
  const isRevert = action === 'revert';
  return page(visitor, {
    title: BULK_TITLE[action],
    section: isRevert || action === 'reapply' ? 'journal' : 'review',
    body: html`<h1>${BULK_TITLE[action]}</h1>
      <section class="card">
        <p>
          <b>${counted(count, 'text')}</b> ${count === 1 ? 'matches' : 'match'} this filter now. Later ones
          are left out.
        </p>
        ${filterFacts(given)}
        <p>${BULK_MEANING[action]}</p>
        ${count === 0 ? html`<p class="empty">${NO_WRITE_BACKS}</p>` : bulkForm(question, isRevert)}
        <p><a href="${isRevert || action === 'reapply' ? '/journal' : '/review'}" data-key="u">Cancel</a></p>
      </section>`,
    keys: [['u', BACK_TO_LIST]],
  });
}

function filterFacts(given: Readonly<Record<string, unknown>>): Html {
  return factList(
    Object.entries(withoutAbsent(given)).map(([name, value]) => [
      words(name),
      name === 'state' || name === 'outcome' ? words(value) : value,
    ]),
  );
}

function bulkForm(question: BulkQuestion, isDry: boolean): Html {
  const { action, given, count, until, objections } = question;
  const fields = Object.entries({ ...withoutAbsent(given), action, until });
  return html`<form method="post" action="/bulk" class="inline">
    ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${isDry && html`<input type="hidden" name="dryRun" value="1" />`}
    ${objections !== null && permissionBoxes(objections)}
    <button class="${isDry || action === 'approve' ? 'primary' : 'danger'}">
      ${isDry ? 'Show what would change' : `${BULK_VERB[action]} ${amount(count)}`}
    </button>
  </form>`;
}

/** What the approval leaves, and a tick for each kind that names its number. */
function permissionBoxes({ total, looked, edited, gated }: ObjectionCounts): Html {
  const box = (name: string, count: number, what: string): Html =>
    html`<p>
      <label><input type="checkbox" name="${name}" value="1" /> ${what} (${counted(count, 'text')})</label>
    </p>`;
  return html`${edited > 0 && box('overwriteEdits', edited, 'Also overwrite what the merchant edited since')}
  ${gated > 0 && box('passGates', gated, 'Also write what a gate holds back')}
  ${looked < total && html`<p class="quiet">${amount(looked)} of ${counted(total, 'text')} could be compared with the shop now. The others are compared before they are written.</p>`}`;
}

export function isUnderWay({ state }: PresentedBulkChange): boolean {
  return state === 'queued' || state === 'running';
}

export function bulkTitle({ dryRun, action }: Pick<BulkChangeSummary, 'dryRun' | 'action'>): string {
  return dryRun ? 'Dry run of a revert' : BULK_TITLE[action];
}

/** A bulk change with its progress and its report. */
export function bulkPage(visitor: Visitor, change: PresentedBulkChange): string {
  const title = bulkTitle(change);
  return page(visitor, {
    title,
    section: 'journal',
    ...(isUnderWay(change) && { refreshSeconds: 3 }),
    body: html`<p class="crumbs">
        <a href="/journal" data-key="u">Journal</a> <a href="/bulk">${BULK_CHANGES}</a>
      </p>
      <h1>${title}</h1>
      <div data-live>${bulkProgress(change)}</div>
      ${isUnderWay(change) && actionForm(`/bulk/${change.id}/cancel`, 'Stop', 'danger')}
      ${
        change.dryRun &&
        change.state === 'done' &&
        change.done > 0 &&
        html`<section class="card">
          <p>Nothing was written. To write it to the live shop, confirm here.</p>
          ${actionForm(`/bulk/${change.id}/apply`, `${BULK_VERB[change.action]} ${amount(change.done)}`, 'danger')}
        </section>`
      }`,
    keys: [['u', 'journal']],
  });
}

function outcomeOf(change: PresentedBulkChange): string {
  const { action, dryRun, done, refused } = change;
  if (action === 'approve') return bulkApprovalSummary(change);
  const changed = dryRun ? `${done} would be restored` : `${done} changed`;
  return `${changed}, ${leftAsIs(refused)}`;
}

/** The part of the page that changes while the work goes on. */
function bulkProgress(change: PresentedBulkChange): Html {
  const { state, action, matching, done, refused, dryRun, actor, createdAt, reason, items } = change;
  const handled = Math.min(matching, done + refused);
  return html`<section class="card" ${isUnderWay(change) && html` data-under-way`}>
    <p role="status">${badge(state)} ${amount(handled)} of ${amount(matching)}; ${outcomeOf(change)}</p>
    <progress aria-label="Progress" max="${Math.max(1, matching)}" value="${handled}"></progress>
    ${filterFacts(change.filter)}
    <p class="quiet">${actor} · ${moment(createdAt)}</p>
    ${reason !== null && html`<p class="problem">${reason}</p>`}
    ${
      items.length > 0 &&
      html`<h2>${dryRun ? 'Report of the dry run' : 'Left unchanged'}</h2>
        <ul class="report">
          ${items.map(
            ({ id, externalId, label, ok, detail, fields }) =>
              html`<li>
                <p>
                  <span class="badge ${ok ? 'good' : 'warn'}"
                    >${ok ? 'restore' : action === 'approve' ? 'left' : 'leave'}</span
                  >
                  <a href="${writeBackPath(id)}">${label}</a> ${detail}
                  ${label !== externalId && html`<span class="quiet">${externalId}</span>`}
                </p>
                ${fields
                  .filter(({ outcome }) => outcome !== 'reverted')
                  .map(({ target, reason: why }) => html`<p class="quiet">${targetName(target)}: ${why}</p>`)}
              </li>`,
          )}
        </ul>
        ${items.length < (dryRun ? matching : refused) && html`<p class="quiet">${REST_OMITTED}</p>`}`
    }
  </section>`;
}
