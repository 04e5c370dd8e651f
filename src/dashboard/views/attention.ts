import type { Attention } from '../../operations/attention.js';
import { pathTo } from '../elements.js';
import { html, type Html } from '../html.js';
import { messages } from '../messages.js';

const SHOWN = 8;

/** The first thing on the overview: that all is well, or what needs a person, each with the one action that helps. */
export function attentionSection(attention: readonly Attention[]): Html {
  if (attention.length === 0)
    return html`<p class="well" role="status">
      <span class="badge good">ok</span> <b>${messages.allWell}</b>
    </p>`;
  return html`<section class="attention" aria-labelledby="attention">
    <h2 id="attention">${messages.needsYou(attention.length)}</h2>
    <ul>
      ${attention.slice(0, SHOWN).map((each) => attentionLine(each))}
    </ul>
    ${
      attention.length > SHOWN &&
      html`<details>
        <summary>${messages.moreAttention(attention.length - SHOWN)}</summary>
        <ul>
          ${attention.slice(SHOWN, MOST).map((each) => attentionLine(each))}
        </ul>
        ${attention.length > MOST && html`<p><a href="/?show=attention">${messages.storesInNeed}</a></p>`}
      </details>`
    }
  </section>`;
}

/** With more stores than this, the page links to the filtered list of stores instead. */
const MOST = 50;

export function attentionLine(each: Attention): Html {
  return html`<li class="${URGENT.has(each.kind) ? 'bad' : 'warn'}">
    <div>
      <p class="what">${messages.attention[each.kind](each.of ?? '', each.count)}</p>
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
      return link('/settings', messages.seeSettings);
    case 'workspace_paused':
    case 'slot_taken':
    case 'api_version_retired':
      return link('/check', messages.runCheck);
    case 'store_paused':
      return button(`/stores/${store}/retry`, messages.tryNow);
    case 'run_failed':
      return link(`/runs/${run ?? ''}`, messages.seeRun);
    case 'run_incomplete':
      return button(`/runs/${run ?? ''}/retry`, messages.retryFailures);
    case 'never_run':
      return button(`/stores/${store}/sync`, messages.firstSync);
    case 'credits_out':
    case 'credits_low':
      return link('#workspaces', messages.seeCredits);
    case 'writes_failed':
      return link(pathTo('/journal', { state: 'failed', store: of ?? undefined }), messages.seeWrites);
    case 'deliveries_set_aside':
      return link(pathTo('/deliveries', { state: 'parked' }), messages.seeDeliveries);
    case 'deliveries_failed':
      return link(pathTo('/deliveries', { state: 'failed' }), messages.seeDeliveries);
    case 'generations_given_up':
      return link(pathTo('/products', { content: 'failed' }), messages.seeProducts);
    case 'review_waiting':
      return link('/review', messages.reviewNow);
    case 'identifiers_withheld':
      return link(pathTo('/products', { state: 'conflicted' }), messages.seeProducts);
  }
}

function link(path: string, label: string): Html {
  return html`<a class="button" href="${path}">${label}</a>`;
}

function button(path: string, label: string): Html {
  return html`<form method="post" action="${path}" class="inline">
    <button class="primary">${label}</button>
  </form>`;
}
