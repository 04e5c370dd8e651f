import type { PresentedWriteBack } from '../../operations/present-write-back.js';
import type { LastDecision, ReviewedWriteBack } from '../../operations/write-back-review.js';
import { pathTo } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../visit.js';
import { rowTable } from './list.js';
import type { ListPlace } from '../write-back-query.js';
import { EDIT_PREFIX, targetName, writeBackPath } from './write-back-parts.js';

export const CONFIRM_MEANING = {
  revert: 'Each field that still has the generated text gets its previous text back in the live shop.',
  reapply: 'The reverted texts are written to the live shop again, except where somebody edited them since.',
  generate: 'The service writes a new text for this product. It may charge credits.',
} as const;
export const KEEP_IT = 'Cancel';
const CONFIRM_BUTTON = { revert: 'Revert', reapply: 'Apply again', generate: 'Generate again' } as const;
const CONFIRM_TITLE = {
  revert: 'Revert this text?',
  reapply: 'Apply again?',
  generate: 'Generate again?',
} as const;

/** Actions that ask first, because they reach the live shop or cost credits. */
export const ASKED = ['revert', 'reapply', 'generate'] as const;
export type AskedAction = (typeof ASKED)[number];

/** A link to the question before an action. `back` is the page that follows. */
export function askLink(
  id: string,
  action: AskedAction,
  { label, back }: { label: string; back: string },
): Html {
  const tone = action === 'revert' ? 'danger' : '';
  const key = action === 'generate' && html` data-key="g"`;
  const adminOnly = action === 'generate' ? 'admin-only' : 'reviewer-only';
  return html`<a
    class="button ${tone} ${adminOnly}"
    href="${pathTo(`/write-backs/${id}/confirm/${action}`, { back })}"
    aria-label="${CONFIRM_BUTTON[action]}: ${label}"
    ${key}
    >${CONFIRM_BUTTON[action]}</a
  >`;
}

/** The question before an action. `back` is the page that follows, whatever the answer. */
export function confirmPage(
  visitor: Visitor,
  row: Pick<PresentedWriteBack, 'id' | 'state'>,
  action: AskedAction,
  { label, back }: { label: string; back: string },
): string {
  return page(visitor, {
    title: CONFIRM_TITLE[action],
    section: row.state === 'pending_review' ? 'review' : 'journal',
    keys: [['u', 'back']],
    body: html`<h1>${CONFIRM_TITLE[action]}</h1>
      <section class="card">
        <p><b>${label}</b></p>
        <p>${CONFIRM_MEANING[action]}</p>
        <form method="post" action="/write-backs/${row.id}/${action}" class="inline">
          <input type="hidden" name="back" value="${back}" />
          <button class="${action === 'revert' ? 'danger' : 'primary'}">${CONFIRM_BUTTON[action]}</button>
          <a href="${back}" data-key="u">${KEEP_IT}</a>
        </form>
      </section>`,
  });
}

/** A text that a person typed and that was not saved. */
export interface TypedText {
  readonly target: string;
  readonly value: string;
  /** Why it was not saved. */
  readonly reason: string;
}

/** Shows each text that was not saved beside the present one, so that nothing is lost, and saves on request. */
export function notSavedPage(
  visitor: Visitor,
  { row, label }: Pick<ReviewedWriteBack, 'row' | 'label'>,
  place: ListPlace,
  { typed, ticked }: { readonly typed: readonly TypedText[]; readonly ticked: readonly string[] },
): string {
  const title = `Edit: ${typed.map(({ target }) => targetName(target)).join(', ')}`;
  return page(visitor, {
    title,
    section: 'review',
    body: html`<h1>${title}</h1>
      <p>${label}</p>
      ${typed.map(({ target, reason }) => presentText(row, target, reason))}
      <form method="post" action="${writeBackPath(row.id, place, '/decide')}" class="card">
        <input type="hidden" name="version" value="${row.version}" />
        ${ticked.map((each) => html`<input type="hidden" name="field" value="${each}" />`)}
        ${typed.map((each) => typedText(row, each))}
        <p class="quiet">The text is cleaned like a generated one. The original text stays in the journal.</p>
        <div class="actions">
          <button class="primary" name="decision" value="save">Save</button>
          <a href="${writeBackPath(row.id, place)}">Cancel</a>
        </div>
      </form>`,
  });
}

function presentText({ fields }: PresentedWriteBack, target: string, reason: string): Html {
  return html`<section class="card" role="alert">
    <p class="problem">Not saved: ${reason}.</p>
    <h2>Current text: ${targetName(target)}</h2>
    <p class="text" dir="auto">${fields.find((each) => each.target === target)?.intended ?? ''}</p>
    <p>Your text is below. Saving it replaces the current text.</p>
  </section>`;
}

function typedText({ fields }: PresentedWriteBack, { target, value }: TypedText): Html {
  const came = fields.find((each) => each.target === target)?.came ?? null;
  return html`<label for="${target}">${targetName(target)}</label>
    <textarea id="${target}" dir="auto" name="${EDIT_PREFIX}${target}" rows="${rowsFor(value)}" required>
${value}</textarea>
    ${came !== null && cameText(came)}`;
}

/** Lines of the field, so that a text of usual length is in sight, on a phone too. */
export function rowsFor({ length }: string): number {
  if (length > 200) return 18;
  return length > 60 ? 8 : 3;
}

export function cameText(came: string): Html {
  return html`<details>
    <summary>Edited by a person. Original text:</summary>
    <p class="text" dir="auto">${came}</p>
  </details>`;
}

/** Undoes a decision. `back` is the page that follows, `what` names the product where the page does not. */
export function undoForm(id: string, back: string, what = ''): Html {
  return html`<form method="post" action="/write-backs/${id}/undo" class="inline">
    <input type="hidden" name="back" value="${back}" />
    <button data-key="z">Undo${what}</button>
  </form>`;
}

const LONGEST_ON_A_BUTTON = 40;

function shortened(label: string): string {
  return label.length > LONGEST_ON_A_BUTTON
    ? `${label.slice(0, LONGEST_ON_A_BUTTON).toWellFormed().trimEnd()}…`
    : label;
}

/**
 * The box with what was decided last, and the way back: undo while nothing is written, revert afterwards. The script counts the seconds
 * down and then shows the revert in place of the undo. `back` is the page that follows.
 */
export function lastDecisionBox(visitor: Visitor, last: LastDecision | null, back: string): Html {
  if (last === null)
    return html`${visitor.notice !== null && html`<p class="notice" role="status">${visitor.notice}</p>`}`;
  const { id, label, reason, offer, writtenAtMs } = last;
  const said = offer === 'revert' ? `‘${label}’ is live` : `${label}: ${reason}`;
  const counts = writtenAtMs !== null && html` data-until="${writtenAtMs}"`;
  return html`<div class="notice head" ${counts}>
    <p role="status">${visitor.notice ?? `${said}.`}</p>
    ${offer === 'undo' && undoForm(id, back, ` ‘${shortened(label)}’`)}
    ${(offer === 'revert' || writtenAtMs !== null) && html`<span data-afterwards ${offer === 'undo' && html` hidden`}>${askLink(id, 'revert', { label, back })}</span>`}
  </div>`;
}

/** The pages that the service used. Only web addresses become links. */
export function sourcesSection({ sources, creditsConsumed }: PresentedWriteBack): Html {
  return html`<section class="card" aria-labelledby="sources">
    <h2 id="sources">Sources</h2>
    ${creditsConsumed !== null && html`<p>Credits consumed: ${creditsConsumed}</p>`}
    ${
      sources.length === 0
        ? html`<p class="empty">The service named no sources.</p>`
        : rowTable(
            ['Address', 'Score', 'Origin'],
            sources,
            ({ url, score, given }) =>
              html`<tr>
                <td data-label="Address">
                  ${
                    /^https?:\/\//i.test(url)
                      ? html`<a href="${url}" rel="noreferrer noopener" target="_blank">${url}</a>`
                      : url
                  }
                </td>
                <td data-label="Score">${score ?? '–'}</td>
                <td data-label="Origin">${originOf(given)}</td>
              </tr>`,
            'metafields sources',
          )
    }
  </section>`;
}

function originOf(given: boolean | null): string {
  if (given === null) return 'not stated';
  return given ? 'given by us' : 'found by the service';
}
