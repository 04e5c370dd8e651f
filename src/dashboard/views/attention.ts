import type { Attention } from '../../operations/attention.js';
import type { Outage } from '../../operations/outages.js';
import { actionForm, clockTime, counted, pathTo, sentence } from '../elements.js';
import { html, type Html } from '../html.js';
import { RUN_CHECK, SEE_PRODUCTS } from './reports.js';

export const needsYou = (count: number): string =>
  count === 1 ? 'One thing needs attention' : `${count} things need attention`;
const ATTENTION = {
  no_stores: (): string =>
    'There are no stores yet. Add one to the configuration file, or let a merchant install the app.',
  workspace_paused: (key: string): string => `Workspace ${key} is paused.`,
  store_paused: (key: string): string => `Store ${key} is paused.`,
  run_failed: (key: string): string => `The last run of store ${key} failed.`,
  credits_out: (key: string): string => `Workspace ${key} has too few credits for new content. Buy credits.`,
  writes_failed: (key: string, count: number): string => `${counted(count, 'write')} to store ${key} failed.`,
  deliveries_set_aside: (_key: string, count: number): string =>
    `${count} ${count === 1 ? 'delivery was' : 'deliveries were'} set aside.`,
  deliveries_failed: (_key: string, count: number): string =>
    `${count} ${count === 1 ? 'delivery' : 'deliveries'} failed.`,
  generations_given_up: (_key: string, count: number): string =>
    `${count} ${count === 1 ? 'product has' : 'products have'} no content, because the generation failed.`,
  no_sources: (_key: string, count: number): string =>
    `The catalog found nothing to read about ${counted(count, 'product')}. Tell it where.`,
  run_incomplete: (key: string, count: number): string =>
    `The last run of store ${key} left out ${counted(count, 'product')}.`,
  never_run: (key: string): string => `Store ${key} has no runs yet.`,
  credits_low: (key: string, days: number): string =>
    `The credits of workspace ${key} last ${days < 1 ? 'less than a day' : days === 1 ? 'one day' : `${days} days`} at the present rate.`,
  slot_taken: (key: string): string =>
    `The webhook slot of workspace ${key} belongs to somebody else. Results arrive later, by polling.`,
  api_version_retired: (key: string): string =>
    `Store ${key} has retired the configured apiVersion and serves a newer one. Set apiVersion to it.`,
  review_waiting: (_key: string, count: number): string =>
    `${count} ${count === 1 ? 'text waits' : 'texts wait'} for review.`,
  identifiers_withheld: (_key: string, count: number): string =>
    `${count} ${count === 1 ? 'product shares' : 'products share'} an SKU or a barcode with another one.`,
} as const;
export const RETRY_FAILURES = 'Run the failures again';
const SEE_DELIVERIES = 'See the deliveries';

const SHOWN = 8;

/** The first section of the overview: all is well, or what needs a person, each with the one action that helps. */
export function attentionSection(attention: readonly Attention[], isDisturbed = false): Html {
  if (attention.length === 0 && isDisturbed) return html``;
  if (attention.length === 0)
    return html`<p class="well" role="status"><span class="badge good">ok</span> <b>All well.</b></p>`;
  return html`<section class="attention" aria-labelledby="attention">
    <h2 id="attention">${needsYou(attention.length)}</h2>
    <ul>
      ${attention.slice(0, SHOWN).map((each) => attentionLine(each))}
    </ul>
    ${
      attention.length > SHOWN &&
      html`<details>
        <summary>${attention.length - SHOWN} more</summary>
        <ul>
          ${attention.slice(SHOWN, MOST).map((each) => attentionLine(each))}
        </ul>
        ${attention.length > MOST && html`<p><a href="/?show=attention">All stores that need attention</a></p>`}
      </details>`
    }
  </section>`;
}

const OUTAGE = {
  catalog: (of: string, isOnly: boolean): string =>
    isOnly ? 'The catalog' : `The catalog of workspace ${of}`,
  store: (of: string): string => `Store ${of}`,
  queue: (): string => 'Redis',
} as const;

/** The sides that do not answer now. store-sync tries them again by itself. */
export function outageSection(outages: readonly Outage[], workspaces: number): Html {
  if (outages.length === 0) return html``;
  return html`<section class="attention" aria-labelledby="outages">
    <h2 id="outages">Waiting for an answer</h2>
    <ul>
      ${outages.slice(0, SHOWN).map(
        (each) =>
          html`<li class="warn">
            <p class="what">${outageLine(each, workspaces === 1)} Nothing is lost.</p>
            ${each.run !== null && html`<a class="button" href="/runs/${each.run}">See the run</a>`}
          </li>`,
      )}
    </ul>
    ${outages.length > SHOWN && html`<p>${outages.length - SHOWN} more</p>`}
  </section>`;
}

function outageLine({ what, of, reason, since, nextTry }: Outage, isOnly: boolean): Html {
  if (what === 'run') return html`Store ${of}: ${sentence(reason)}.`;
  if (what === 'database') return html`The database answers slowly: ${reason}. Everything takes longer.`;
  return html`${OUTAGE[what](of, isOnly)} has not
  answered${since !== null && html` since ${clockTime(since)}`}.
  ${nextTry === null ? 'It is tried again within a minute.' : html`Next try ${clockTime(nextTry)}.`}`;
}

/** With more stores than this, the page links to the filtered list of stores instead. */
const MOST = 50;

export function attentionLine(each: Attention): Html {
  return html`<li class="${URGENT.has(each.kind) ? 'bad' : 'warn'}">
    <div>
      <p class="what">${ATTENTION[each.kind](each.of ?? '', each.count)}</p>
      ${each.detail !== null && html`<p class="quiet">${each.detail}</p>`}
    </div>
    ${actionOf(each)}
  </li>`;
}

const URGENT: ReadonlySet<Attention['kind']> = new Set([
  'workspace_paused',
  'store_paused',
  'run_failed',
  'credits_out',
  'writes_failed',
  'deliveries_set_aside',
  'deliveries_failed',
]);

function actionOf({ kind, of, run }: Attention): Html {
  const store = encodeURIComponent(of ?? '');
  switch (kind) {
    case 'no_stores':
      return link('/settings', 'See the settings', 'admin-only');
    case 'workspace_paused':
    case 'slot_taken':
    case 'api_version_retired':
      return link('/check', RUN_CHECK, 'admin-only');
    case 'store_paused':
      return button(`/stores/${store}/retry`, 'Try now');
    case 'run_failed':
      return link(`/runs/${run ?? ''}`, 'See the run');
    case 'run_incomplete':
      return button(`/runs/${run ?? ''}/retry`, RETRY_FAILURES);
    case 'never_run':
      return button(`/stores/${store}/sync`, 'Sync now');
    case 'credits_out':
    case 'credits_low':
      return link('#workspaces', 'See the credits');
    case 'writes_failed':
      return link(pathTo('/journal', { state: 'failed', store: of ?? undefined }), 'See the writes');
    case 'deliveries_set_aside':
      return link(pathTo('/deliveries', { state: 'parked' }), SEE_DELIVERIES);
    case 'deliveries_failed':
      return link(pathTo('/deliveries', { state: 'failed' }), SEE_DELIVERIES);
    case 'generations_given_up':
      return link(pathTo('/products', { content: 'failed' }), SEE_PRODUCTS);
    case 'no_sources':
      return link(pathTo('/products', { content: 'no_sources' }), SEE_PRODUCTS);
    case 'review_waiting':
      return link('/review', 'Review');
    case 'identifiers_withheld':
      return link(pathTo('/products', { state: 'conflicted' }), SEE_PRODUCTS);
  }
}

/** `who`: the class that hides it from other roles. */
function link(path: string, label: string, who: 'admin-only' | '' = ''): Html {
  return html`<a class="${who === '' ? 'button' : `button ${who}`}" href="${path}">${label}</a>`;
}

function button(path: string, label: string): Html {
  return actionForm(path, label, 'primary');
}
