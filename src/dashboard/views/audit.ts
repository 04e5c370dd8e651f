import type { AuditEntry } from '../../operations/audit.js';
import type { Page } from '../../operations/paging.js';
import { badge, counted, moment, nothing, pager, pathTo } from '../elements.js';
import { html, type Html } from '../html.js';
import { page } from '../layout.js';
import { messages } from '../messages.js';
import type { Visitor } from '../session.guard.js';

const TARGETS_SHOWN = 3;

export function auditPage(visitor: Visitor, entries: Page<AuditEntry>): string {
  return page(visitor, {
    title: 'Audit',
    section: 'audit',
    body: html`<h1>Audit</h1>
      <p class="quiet">${messages.auditIntro}</p>
      ${
        entries.items.length === 0
          ? entries.total === 0 && nothing(messages.noChanges)
          : html`<ul class="rows">
              ${entries.items.map(row)}
            </ul>`
      }
      ${pager(entries, (offset) => pathTo('/audit', { offset }))}`,
  });
}

function row({ at, actor, role, via, address, what, targets, outcome }: AuditEntry): Html {
  const shown = targets.slice(0, TARGETS_SHOWN).join(', ');
  const more = targets.length - TARGETS_SHOWN;
  return html`<li>
    <p class="what"><b>${what}</b> ${shown}${more > 0 && html` and ${counted(more, 'other')}`}</p>
    <p>${badge(outcome)} ${moment(at)}</p>
    <p class="quiet">
      ${actor}${role !== null && html` (${role})`} by ${via}${address !== null && html` from ${address}`}
    </p>
  </li>`;
}
