import { detailLine, type AuditEntry } from '../../operations/audit.js';
import type { Page } from '../../operations/paging.js';
import { badge, counted, moment } from '../elements.js';
import { html, type Html } from '../html.js';
import type { Visitor } from '../visit.js';
import { listPage, type ListFrame, storeAndDays } from './list.js';

const TARGETS_SHOWN = 3;
export const AUDIT_OUTCOMES = ['done', 'failed', 'refused', 'begun'] as const;

export function auditPage(
  visitor: Visitor,
  entries: Page<AuditEntry>,
  { given, counts }: Omit<ListFrame, 'stores'>,
): string {
  return listPage(visitor, {
    title: 'Audit',
    section: 'audit',
    keys: [['/', 'search']],
    lead: html`<p class="quiet">Changes that people requested, newest first.</p>`,
    given,
    tabs: { name: 'outcome', values: AUDIT_OUTCOMES, counts },
    fields: [
      { name: 'search', label: 'Change or id' },
      { name: 'actor', label: 'Person', type: 'text' },
      ...storeAndDays([]),
    ],
    page: entries,
    heads: ['Change', 'Of', 'Outcome', 'Time', 'Person'],
    row,
    none: {
      yet: 'No changes are recorded yet. What people do here, by commands and by the API appears here.',
      matching: 'No changes match this filter.',
    },
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
