import type { Attention } from '../../operations/attention.js';
import { pathTo } from '../elements.js';
import { html, type Html } from '../html.js';
import { formToken } from '../layout.js';
import { messages } from '../messages.js';
import type { Visitor } from '../session.guard.js';

const SHOWN = 8;

/** The first thing on the overview: that all is well, or what needs a person, each with the one action that helps. */
export function attentionSection(visitor: Visitor, attention: readonly Attention[]): Html {
  if (attention.length === 0)
    return html`<p class="well" role="status">
      <span class="badge good">ok</span> <b>${messages.allWell}</b>
    </p>`;
  return html`<section class="attention" aria-labelledby="attention">
    <h2 id="attention">${messages.needsYou(attention.length)}</h2>
    <ul>
      ${attention.slice(0, SHOWN).map((each) => attentionLine(visitor, each))}
    </ul>
    ${
      attention.length > SHOWN &&
      html`<details>
        <summary>${messages.moreAttention(attention.length - SHOWN)}</summary>
        <ul>
          ${attention.slice(SHOWN, MOST).map((each) => attentionLine(visitor, each))}
        </ul>
        ${attention.length > MOST && html`<p><a href="/?show=attention">${messages.storesInNeed}</a></p>`}
      </details>`
    }
  </section>`;
}

/** With more stores than this, the page links to the filtered list of stores instead. */
const MOST = 50;

export function attentionLine(visitor: Visitor, each: Attention): Html {
  return html`<li class="${URGENT.has(each.kind) ? 'bad' : 'warn'}">
    <div>
      <p class="what">${messages.attention[each.kind](each.of ?? '', each.count)}</p>
      ${each.detail !== null && html`<p class="quiet">${each.detail}</p>`}
    </div>
    ${actionOf(visitor, each)}
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

function actionOf(visitor: Visitor, { kind, of, run }: Attention): Html {
  const store = encodeURIComponent(of ?? '');
  switch (kind) {
    case 'no_stores':
      return link('/settings', messages.seeSettings);
    case 'workspace_paused':
    case 'slot_taken':
    case 'api_version_retired':
      return link('/check', messages.runCheck);
    case 'store_paused':
      return button(visitor, `/stores/${store}/retry`, messages.tryNow);
    case 'run_failed':
      return link(`/runs/${run ?? ''}`, messages.seeRun);
    case 'run_incomplete':
      return button(visitor, `/runs/${run ?? ''}/retry`, messages.retryFailures);
    case 'never_run':
      return button(visitor, `/stores/${store}/sync`, messages.firstSync);
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

function button(visitor: Visitor, path: string, label: string): Html {
  return html`<form method="post" action="${path}" class="inline">
    ${formToken(visitor)}<button class="primary">${label}</button>
  </form>`;
}
