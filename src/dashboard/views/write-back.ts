import { plainTextOf } from '../../planner/html/plain-text.js';
import type { PresentedWriteBack } from '../../operations/present-write-back.js';
import type { ComparedField, Comparison } from '../../operations/write-back-comparison.js';
import type { LastDecision, ReviewedWriteBack } from '../../operations/write-back-review.js';
import { words } from '../../operations/state-words.js';
import { badge, moment, pathTo, productPath, sentence } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import { ROWS_OF_A_PAGE } from '../page-query.js';
import type { Visitor } from '../visit.js';
import { wordDiff } from '../word-diff.js';
import {
  askLink,
  cameText,
  lastDecisionBox,
  rowsFor,
  sourcesSection,
  undoForm,
} from './write-back-actions.js';
import type { ListPlace } from '../write-back-query.js';
import {
  EDIT_PREFIX,
  markedText,
  storeUnread,
  targetName,
  tickedIn,
  writeBackPath,
} from './write-back-parts.js';
import { thumbnail } from '../thumbnails.js';
import { BACK_TO_LIST, rowTable } from './list.js';

const REJECT_REASON = 'Reason (optional)';

export interface WriteBackView extends ReviewedWriteBack {
  /** Address of the product's thumbnail. */
  readonly image: string | undefined;
  /** The visitor's last decision that can be undone. */
  readonly last: LastDecision | null;
  readonly place: ListPlace;
  /** Neighbours in the review list. */
  readonly newer: string | null;
  readonly older: string | null;
}

/** The page of one write-back: before and after side by side, with the possible decisions. */
export function writeBackPage(visitor: Visitor, view: WriteBackView): string {
  const { row, label, image, comparison, last, isOpen: open, isUndoable } = view;
  const isOwn = last?.id === row.id;
  const inReview = row.state === 'pending_review';
  const back = writeBackPath(row.id, view.place);
  return page(visitor, {
    title: label,
    section: inReview ? 'review' : 'journal',
    keys: keysOf(view, visitor),
    showsNotice: true,
    body: html`${crumbs(view, inReview)} ${lastDecisionBox(visitor, open || isOwn ? last : null, back)}
      <div class="head">
        <div class="named">
          ${image !== undefined && thumbnail(image)}
          <h1>${label}</h1>
        </div>
        <div class="actions">
          ${isUndoable && !isOwn && undoForm(row.id, back)}
          ${row.state === 'applied' && askLink(row.id, 'revert', { label, back })}
          ${row.state === 'reverted' && askLink(row.id, 'reapply', { label, back })}
          ${askLink(row.id, 'generate', { label, back })}
        </div>
      </div>
      <p>
        ${badge(row.state)} ${sentence(row.reason)}
        <span class="quiet"
          >· ${row.store} · ${moment(row.createdAt)}
          ${row.decidedBy !== null && `· ${inReview ? 'last changed' : 'decided'} by ${row.decidedBy}`}</span
        >
        · <a href="${productPath(row.externalId)}">product and timeline</a>
      </p>
      ${
        comparison.problem !== null &&
        html`<p class="problem">
          ${storeUnread(comparison.problem)} The gates could not be checked, because the store could not be
          read.
        </p>`
      }
      ${open && decisionForms(view)} ${compared(view)} ${declinedFields(row)} ${sourcesSection(row)}`,
  });
}

/** Approval and rejection are two forms, so that Enter in the reason never approves. */
function decisionForms({ row, place, comparison, shownValues }: WriteBackView): Html {
  const path = writeBackPath(row.id, place, '/decide');
  return html`<div class="actions sticky">
    <form method="post" action="${path}" id="${APPROVAL}" class="inline">
      <input type="hidden" name="version" value="${row.version}" />
      <input type="hidden" name="shown" value="${new URLSearchParams(shownValues).toString()}" />
      ${alwaysAccepted(comparison)}
      <button class="primary" name="decision" value="approve" data-key="a" data-approve>
        Approve accepted fields
      </button>
    </form>
    <form method="post" action="${path}" class="inline">
      <input type="hidden" name="decision" value="reject" />
      <input type="hidden" name="version" value="${row.version}" />
      <input
        type="text"
        name="reason"
        maxlength="500"
        aria-label="${REJECT_REASON}"
        placeholder="${REJECT_REASON}"
      />
      <button class="danger" data-key="r">Reject</button>
    </form>
  </div>`;
}

/** Fields that an approval does not write have no box. They stay in the journal with their outcome. */
function alwaysAccepted({ fields }: Comparison): Html {
  const hidden = fields.filter(({ verdict }) => verdict !== null && !CHOSEN.has(verdict));
  return html`${hidden.map(({ target }) => html`<input type="hidden" name="field" value="${target}" />`)}`;
}

/** The outcomes that a person chooses about. */
const CHOSEN: ReadonlySet<ComparedField['verdict']> = new Set(['write', 'written_before', 'conflict']);

/** The fields that a person declined, and who did. */
function declinedFields({ declined }: PresentedWriteBack): Html {
  if (declined.length === 0) return html``;
  return html`<section class="card" aria-label="Declined">
    <h2>Declined</h2>
    ${declined.map(
      ({ target, value, by, at }) =>
        html`<h3>${targetName(target)}</h3>
          <p class="quiet">Declined by ${by} ${moment(at)}</p>
          <p class="text" dir="auto">${value}</p>`,
    )}
  </section>`;
}

/** The form that the boxes of the fields belong to. */
const APPROVAL = 'approval';

const REVIEW_KEYS: readonly (readonly [string, string])[] = [
  ['j', 'next field'],
  ['k', 'previous field'],
  ['x', 'accept or not'],
  ['a', 'approve'],
  ['r', 'reject'],
  ['n', 'next'],
  ['p', 'previous'],
  ['e', 'edit'],
  ['z', 'undo'],
  ['g', 'generate again'],
  ['u', BACK_TO_LIST],
];
/** The keys of a person who may not decide. */
const READING_KEYS = REVIEW_KEYS.filter(([key]) => 'jknpu'.includes(key));

function keysOf({ isOpen }: WriteBackView, { session }: Visitor): readonly (readonly [string, string])[] {
  if (!isOpen) return [['u', BACK_TO_LIST]];
  return session.role === 'viewer' ? READING_KEYS : REVIEW_KEYS;
}

function crumbs({ newer, older, place }: WriteBackView, inReview: boolean): Html {
  const { at = 0, journal, ticks: _ticks, ...filter } = place;
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

function compared(view: WriteBackView): Html {
  const { row, comparison } = view;
  const fields = comparison.fields.filter((field) => field.kind !== 'metafield');
  const metafields = comparison.fields.filter((field) => field.kind === 'metafield');
  return html`${fields.map((field) => fieldSection(view, field))}
  ${metafields.length > 0 && metafieldTable(view, metafields)} ${leftOut(row)}`;
}

/** The parts of the result that no setting maps to the store, each with the setting that would map it. */
function leftOut({ arrived }: PresentedWriteBack): Html {
  const parts = arrived.filter(({ fate }) => fate !== 'mapped');
  if (parts.length === 0) return html``;
  return html`<section class="card" aria-label="Not written">
    <h2>Generated, but not written</h2>
    ${rowTable(
      ['Part', 'Value', 'Why'],
      parts,
      ({ from, excerpt, setting }) =>
        html`<tr>
          <td data-label="Part">${from}</td>
          <td data-label="Value">${excerpt}</td>
          <td data-label="Why">
            ${setting === null ? 'the store cannot hold it' : html`not mapped: <code>${setting}</code>`}
          </td>
        </tr>`,
      'metafields',
    )}
  </section>`;
}

function headings(comparison: Comparison): readonly [string, string] {
  switch (comparison.source) {
    case 'journal':
      return ['Before', 'After'];
    case 'live':
    case 'unread':
      return ['Current store value', 'Generated'];
  }
}

function fieldSection(view: WriteBackView, field: ComparedField): Html {
  const { row, comparison, isOpen: open } = view;
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
      <div class="actions">${open ? accept(view, field, name) : verdictOf(field)}</div>
    </div>
    ${open && verdictOf(field)} ${gateFindings(view, field)} ${original(row, field)}
    <div class="sides">${side('before', left)} ${side('after', right)}</div>
    ${open && editor(view, field)}
  </section>`;
}

/** The findings of the gates, beside the generated text. */
function gateFindings({ row, findings: now }: WriteBackView, { target }: ComparedField): Html {
  const findings = (now ?? row.gates).filter((finding) => finding.target === target);
  if (findings.length === 0) return html``;
  return html`<ul class="findings" aria-label="Gates">
    ${findings.map(
      ({ gate, detail }) => html`<li><span class="badge warn">${words(gate)}</span> ${detail}</li>`,
    )}
  </ul>`;
}

/**
 * The editor of a text. Its field belongs to the form of the approval, so that one button saves and approves. The script adds a
 * rich-text field in place of a description's markup, which stays behind a tab.
 */
function editor({ row, editable }: WriteBackView, { target, kind }: ComparedField): Html {
  const value = row.fields.find((field) => field.target === target)?.intended;
  if (!editable.has(target) || value == null) return html``;
  const name = targetName(target);
  return html`<details class="editor reviewer-only" ${kind === 'html' && html` data-rich`}>
    <summary data-key="e" aria-label="Edit: ${name}">Edit</summary>
    <textarea
      form="${APPROVAL}"
      name="${EDIT_PREFIX}${target}"
      aria-label="${name}"
      dir="auto"
      rows="${rowsFor(value)}"
    >
${value}</textarea>
    <div class="actions">
      <button form="${APPROVAL}" name="decision" value="approve" class="primary">Save and approve</button>
      <button form="${APPROVAL}" name="decision" value="save">Save</button>
    </div>
  </details>`;
}

/** The text as it came, when a person edited it. */
function original({ fields }: PresentedWriteBack, { target }: ComparedField): Html {
  const came = fields.find((each) => each.target === target)?.came ?? null;
  return came === null ? html`` : cameText(came);
}

/** Ticked as the address says. Otherwise preselected unless writing the field would overwrite a merchant's edit. */
function accept({ comparison, place }: WriteBackView, field: ComparedField, name: string): Html {
  const { target, verdict } = field;
  if (verdict !== null && !CHOSEN.has(verdict)) return html``;
  const isTicked = tickedIn(comparison, place.ticks)?.has(target) ?? verdict !== 'conflict';
  return html`<label class="accept"
    ><input type="checkbox" name="field" value="${target}" form="${APPROVAL}" ${isTicked && html` checked`} />
    Accept <span class="hidden">${name}</span></label
  >`;
}

function verdictOf({ verdict, reason }: ComparedField): Html {
  if (verdict === null || (verdict === 'write' && reason === 'generated')) return html``;
  const tone = verdict === 'conflict' || verdict === 'failed' ? 'warn' : 'calm';
  return html`<p class="verdict">
    <span class="badge ${tone}">${words(verdict)}</span> ${reason !== 'generated' && reason}
  </p>`;
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
  const note = markupOnly && html`<p class="quiet">The text is the same. Only the markup differs.</p>`;
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

function preview(
  row: PresentedWriteBack,
  field: ComparedField,
  which: 'before' | 'after',
  title: string,
): Html {
  if ((field[which] ?? '') === '') return html``;
  return html`<iframe
    sandbox
    loading="lazy"
    title="${title}, rendered"
    src="${pathTo(`/write-backs/${row.id}/preview/${which}`, { field: field.target })}"
  ></iframe>`;
}

function metafieldTable(view: WriteBackView, metafields: readonly ComparedField[]): Html {
  const { comparison } = view;
  const [left, right] = headings(comparison);
  return html`<section class="card" aria-labelledby="metafields">
    <h2 id="metafields">Metafields</h2>
    ${rowTable(['Metafield', left, right], metafields, (field) => metafieldRow(view, field), 'metafields')}
  </section>`;
}

function metafieldRow(view: WriteBackView, field: ComparedField): Html {
  const { row, comparison, isOpen: open } = view;
  const [left, right] = headings(comparison);
  const texts = sidesOf(comparison, field);
  return html`<tr data-row>
    <th scope="row">
      <code>${targetName(field.target)}</code>
      <span class="quiet">${words(field.type ?? '')}</span>
      <div class="choices">${open && accept(view, field, targetName(field.target))}</div>
      ${verdictOf(field)} ${gateFindings(view, field)} ${original(row, field)}
    </th>
    <td data-label="${left}">${texts.before}</td>
    <td data-label="${right}">${texts.after} ${open && editor(view, field)}</td>
  </tr>`;
}
