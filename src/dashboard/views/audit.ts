import { detailLine, type AuditEntry } from '../../operations/audit.js';
import type { Page } from '../../operations/paging.js';
import { badge, counted, moment } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import type { Visitor } from '../visit.js';
import { list, type GivenFilter } from './list.js';

const TARGETS_SHOWN = 3;
export const AUDIT_OUTCOMES = ['done', 'failed', 'refused', 'begun'] as const;

/** The filter of the list, and the entries of each outcome that match the rest of it. */
export interface AuditList {
  readonly given: GivenFilter;
  readonly counts: Readonly<Record<string, number>>;
}

export function auditPage(visitor: Visitor, entries: Page<AuditEntry>, { given, counts }: AuditList): string {
  return page(visitor, {
    title: 'Audit',
    section: 'audit',
    keys: [['/', 'search']],
    body: html`<h1>Audit</h1>
      <p class="quiet">Changes that people requested, newest first.</p>
      ${list({
        path: '/audit',
        given,
        tabs: { name: 'outcome', values: AUDIT_OUTCOMES, counts },
        fields: [
          { name: 'search', label: 'Change or id' },
          { name: 'actor', label: 'Person', type: 'text' },
          { name: 'from', label: 'From', type: 'date' },
          { name: 'to', label: 'To', type: 'date' },
        ],
        page: entries,
        heads: ['Change', 'Of', 'Outcome', 'Time', 'Person'],
        row,
        none: {
          yet: 'No changes are recorded yet. What people do here, by commands and by the API appears here.',
          matching: 'No changes match this filter.',
        },
      })}`,
  });
}

function row({ at, actor, role, via, address, what, targets, details, outcome }: AuditEntry): Html {
  const shown = targets.slice(0, TARGETS_SHOWN).join(', ');
  const more = targets.length - TARGETS_SHOWN;
  return html`<tr data-row>
    <th scope="row">${what} <span class="quiet">${detailLine(details)}</span></th>
    <td class="quiet">${shown}${more > 0 && html` and ${counted(more, 'other')}`}</td>
    <td>${badge(outcome)}</td>
    <td data-label="Time">${moment(at)}</td>
    <td>
      ${actor}
      <span class="quiet"
        >${role !== null && html`(${role})`} by ${via}${address !== null && html` from ${address}`}</span
      >
    </td>
  </tr>`;
}
