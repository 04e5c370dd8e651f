import type { GateFinding } from '../../domain/gate-finding.js';
import type { WriteBackEntity } from '../../persistence/entities/index.js';
import { isEditable } from '../../planner/edited-value.js';
import { plainTextOf } from '../../planner/html-content.js';
import { isOpen, type ComparedField, type Comparison } from '../comparison.js';
import { badge, moment, pathTo, productPath, sentence, words } from '../elements.js';
import { html, type Html } from '../html.js';
import { formToken, page } from '../layout.js';
import { ROWS_OF_A_PAGE } from '../page-query.js';
import type { Visitor } from '../session.guard.js';
import { wordDiff } from '../word-diff.js';
import {
  askLink,
  cameText,
  sourcesSection,
  undoBanner,
  undoForm,
  type LastDecision,
} from './write-back-actions.js';
import type { ListPlace } from '../write-back-query.js';
import { markedText, targetName, writeBackPath } from './write-back-parts.js';
import { messages } from '../messages.js';
import { thumbnail } from '../thumbnails.js';

export interface WriteBackView {
  readonly row: WriteBackEntity;
  readonly label: string;
  /** Address of the product's thumbnail. */
  readonly image: string | undefined;
  readonly comparison: Comparison;
  /** The findings of the gates now; null when the store could not be read. */
  readonly findings: readonly GateFinding[] | null;
  /** The visitor's last decision that can be taken back. */
  readonly last: LastDecision | null;
  readonly place: ListPlace;
  /** Neighbours in the review list. */
  readonly newer: string | null;
  readonly older: string | null;
}

/** Before and after, side by side, with the possible decisions. */
export function writeBackPage(visitor: Visitor, view: WriteBackView): string {
  const { row, label, image, comparison, last } = view;
  const open = isOpen(row);
  const inReview = row.state === 'pending_review';
  const back = writeBackPath(row.id, view.place);
  const isUndoable = row.intendedBefore !== null && (row.state === 'rejected' || row.state === 'ready');
  return page(visitor, {
    title: label,
    section: inReview ? 'review' : 'journal',
    keys: keysOf(row, visitor),
    body: html`${crumbs(view, inReview)}
      ${open && undoBanner(visitor, last?.id === row.id ? null : last, back)}
      <div class="head">
        <div class="named">
          ${image !== undefined && thumbnail(image)}
          <h1>${label}</h1>
        </div>
        <div class="actions">
          ${isUndoable && undoForm(visitor, row.id, back)}
          ${row.state === 'applied' && askLink(row.id, 'revert', { label, back })}
          ${row.state === 'reverted' && askLink(row.id, 'reapply', { label, back })}
          ${askLink(row.id, 'generate', { label, back })}
        </div>
      </div>
      <p>
        ${badge(row.state)} ${sentence(row.reason)}
        <span class="quiet"
          >· ${row.store} · ${moment(row.createdAt)}
          ${row.decidedBy !== null && `· ${inReview ? messages.changedBy(row.decidedBy) : messages.decidedBy(row.decidedBy)}`}</span
        >
        · <a href="${productPath(row.externalId)}">${messages.productAndTimeline}</a>
      </p>
      ${
        comparison.problem !== null &&
        html`<p class="problem">${messages.storeUnread(comparison.problem)} ${messages.gatesUnchecked}</p>`
      }
      ${open && decisionForms(visitor, view)} ${compared(view, open)} ${sourcesSection(row)}`,
  });
}

/** Approval and rejection are two forms, so that Enter in the reason never approves. */
function decisionForms(visitor: Visitor, { row, place }: WriteBackView): Html {
  const path = writeBackPath(row.id, place, '/decide');
  return html`<div class="actions sticky">
    <form method="post" action="${path}" id="${APPROVAL}" class="inline">
      ${formToken(visitor)}
      <button class="primary" name="decision" value="approve" data-key="a">
        ${messages.approveAccepted}
      </button>
    </form>
    <form method="post" action="${path}" class="inline">
      ${formToken(visitor)} <input type="hidden" name="decision" value="reject" />
      <input
        type="text"
        name="reason"
        maxlength="500"
        aria-label="${messages.rejectReason}"
        placeholder="${messages.rejectReason}"
      />
      <button class="danger" data-key="r">Reject</button>
    </form>
  </div>`;
}

/** The form that the boxes of the fields belong to. */
const APPROVAL = 'approval';

const REVIEW_KEYS: readonly (readonly [string, string])[] = [
  ['j', 'next field'],
  ['k', 'previous field'],
  ['x', messages.acceptOrNot],
  ['a', 'approve'],
  ['r', 'reject'],
  ['n', 'next'],
  ['p', 'previous'],
  ['e', 'edit'],
  ['z', 'undo'],
  ['g', 'generate again'],
  ['u', messages.backToList],
];
/** Those of them that decide nothing. */
const READING_KEYS = REVIEW_KEYS.filter(([key]) => 'jknpu'.includes(key));

function keysOf(row: WriteBackEntity, { session }: Visitor): readonly (readonly [string, string])[] {
  if (!isOpen(row)) return [['u', messages.backToList]];
  return session.role === 'viewer' ? READING_KEYS : REVIEW_KEYS;
}

function crumbs({ newer, older, place }: WriteBackView, inReview: boolean): Html {
  const { at = 0, journal, ...filter } = place;
  const offset = at - (at % ROWS_OF_A_PAGE);
  return html`<nav class="crumbs" aria-label="Place">
    ${
      inReview && journal === undefined
        ? html`<a href="${pathTo('/review', { ...filter, offset })}" data-key="u">Review</a>`
        : html`<a href="${journal ?? '/journal'}" data-key="u">Journal</a>`
    }
    ${newer !== null && html`<a href="${newer}" rel="prev" data-key="p">← Previous</a>`}
    ${older !== null && html`<a href="${older}" rel="next" data-key="n">Next →</a>`}
  </nav>`;
}

function compared(view: WriteBackView, open: boolean): Html {
  const { row, comparison } = view;
  const fields = comparison.fields.filter((field) => field.kind !== 'metafield');
  const metafields = comparison.fields.filter((field) => field.kind === 'metafield');
  return html`${fields.map((field) => fieldSection(view, field, open))}
  ${metafields.length > 0 && metafieldTable(view, metafields, open)} ${leftOut(row)}`;
}

/** The parts of the result that no setting maps to the store, each with the setting that would map it. */
function leftOut({ arrived }: WriteBackEntity): Html {
  const parts = arrived.filter(({ fate }) => fate !== 'mapped');
  if (parts.length === 0) return html``;
  return html`<section class="card" aria-label="Not written">
    <h2>${messages.notWritten}</h2>
    <table class="metafields">
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">Value</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        ${parts.map(
          ({ from, excerpt, setting }) =>
            html`<tr>
              <td data-label="Part">${from}</td>
              <td data-label="Value">${excerpt}</td>
              <td data-label="Why">
                ${setting === null ? messages.storeCannotHold : html`not mapped: <code>${setting}</code>`}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

function headings(comparison: Comparison): readonly [string, string] {
  switch (comparison.source) {
    case 'journal':
      return ['Before', 'After'];
    case 'live':
    case 'unread':
      return [messages.inTheStoreNow, 'Generated'];
  }
}

function fieldSection(view: WriteBackView, field: ComparedField, open: boolean): Html {
  const { row, comparison } = view;
  const name = targetName(field.target);
  const [left, right] = headings(comparison);
  const texts = sidesOf(comparison, field);
  const side = (which: 'before' | 'after', heading: string): Html =>
    html`<div>
      <h3>${heading}</h3>
      ${texts[which]} ${field.kind === 'html' && preview(row, field, which, `${name}, ${heading}`)}
    </div>`;
  return html`<section class="card field" aria-label="${name}" data-row>
    <div class="head">
      <h2>${name}</h2>
      <div class="actions">
        ${open && editLink(view, field)} ${open ? accept(field, name) : verdictOf(field)}
      </div>
    </div>
    ${open && verdictOf(field)} ${gateFindings(view, field)} ${original(row, field)}
    <div class="sides">${side('before', left)} ${side('after', right)}</div>
  </section>`;
}

/** The findings of the gates, beside the generated text. */
function gateFindings({ row, findings: now }: WriteBackView, { target }: ComparedField): Html {
  const findings = (now ?? row.gateFindings).filter((finding) => finding.target === target);
  if (findings.length === 0) return html``;
  return html`<ul class="findings" aria-label="Gates">
    ${findings.map(
      ({ gate, detail }) => html`<li><span class="badge warn">${words(gate)}</span> ${detail}</li>`,
    )}
  </ul>`;
}

function editLink({ row, place }: WriteBackView, { target }: ComparedField): Html {
  const value = row.intended.find((each) => each.target === target);
  if (value === undefined || !isEditable(value)) return html``;
  return html`<a
    class="reviewer-only"
    href="${pathTo(`/write-backs/${row.id}/edit`, { field: target, back: writeBackPath(row.id, place) })}"
    aria-label="${messages.editTitle(targetName(target))}"
    data-key="e"
    >Edit</a
  >`;
}

/** The text as it came, when a person edited it. */
function original({ intended }: WriteBackEntity, { target }: ComparedField): Html {
  const came = intended.find((each) => each.target === target)?.came;
  return came === undefined ? html`` : cameText(came.value);
}

/** Preselected unless writing the field would overwrite a merchant's edit or change nothing. */
function accept(field: ComparedField, name: string): Html {
  const checked = (field.verdict === null || field.verdict === 'write') && html` checked`;
  return html`<label class="accept"
    ><input type="checkbox" name="field" value="${field.target}" form="${APPROVAL}" ${checked} /> Accept
    <span class="hidden">${name}</span></label
  >`;
}

function verdictOf({ verdict, reason }: ComparedField): Html {
  if (verdict === null || (verdict === 'write' && reason === 'generated')) return html``;
  const tone = verdict === 'conflict' || verdict === 'failed' ? 'warn' : 'calm';
  return html`<p class="verdict"><span class="badge ${tone}">${words(verdict)}</span> ${reason}</p>`;
}

/** Both sides of a field, from one comparison. */
function sidesOf(comparison: Comparison, field: ComparedField): Readonly<Record<'before' | 'after', Html>> {
  const [before, after] = [readable(field, field.before), readable(field, field.after)];
  const stretches = wordDiff(before, after);
  const text = (which: 'before' | 'after'): Html => {
    const shown = stretches.filter(({ side }) => side === 'both' || side === which);
    return shown.length === 0
      ? html`<p class="empty">empty</p>`
      : html`<p class="text" dir="auto">${markedText(shown)}</p>`;
  };
  const markupOnly = field.kind === 'html' && before === after && field.before !== field.after;
  const note = markupOnly && html`<p class="quiet">${messages.sameWords}</p>`;
  return {
    before: comparison.source === 'unread' ? html`<p class="empty">not known</p>` : text('before'),
    after: html`${text('after')} ${note}`,
  };
}

/** The text of a description for reading. The frame below shows its markup. */
function readable(field: ComparedField, value: string | null): string {
  if (value === null) return '';
  return field.kind === 'html' ? plainTextOf(value) : value;
}

function preview(row: WriteBackEntity, field: ComparedField, which: 'before' | 'after', title: string): Html {
  if ((field[which] ?? '') === '') return html``;
  return html`<iframe
    sandbox
    loading="lazy"
    title="${title}, rendered"
    src="${pathTo(`/write-backs/${row.id}/preview/${which}`, { field: field.target })}"
  ></iframe>`;
}

function metafieldTable(view: WriteBackView, metafields: readonly ComparedField[], open: boolean): Html {
  const { comparison } = view;
  const [left, right] = headings(comparison);
  return html`<section class="card" aria-labelledby="metafields">
    <h2 id="metafields">Metafields</h2>
    <table class="metafields">
      <thead>
        <tr>
          <th scope="col">Metafield</th>
          <th scope="col">${left}</th>
          <th scope="col">${right}</th>
        </tr>
      </thead>
      <tbody>
        ${metafields.map((field) => metafieldRow(view, field, open))}
      </tbody>
    </table>
  </section>`;
}

function metafieldRow(view: WriteBackView, field: ComparedField, open: boolean): Html {
  const { row, comparison } = view;
  const [left, right] = headings(comparison);
  const texts = sidesOf(comparison, field);
  return html`<tr data-row>
    <th scope="row">
      <code>${targetName(field.target)}</code>
      <span class="quiet">${field.type}</span>
      <div class="choices">
        ${open && accept(field, targetName(field.target))} ${open && editLink(view, field)}
      </div>
      ${verdictOf(field)} ${gateFindings(view, field)} ${original(row, field)}
    </th>
    <td data-label="${left}">${texts.before}</td>
    <td data-label="${right}">${texts.after}</td>
  </tr>`;
}
