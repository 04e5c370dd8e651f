import { amount } from '../elements.js';
import { html } from '../html.js';
import { page } from '../layout.js';
import { messages } from '../messages.js';
import type { Visitor } from '../session.guard.js';

export const JOB_STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
/** The board is a program of its own, in a frame. */
export const BOARD_PATH = '/queues/board';

export interface QueueCounts {
  readonly name: string;
  readonly counts: Readonly<Record<string, number>>;
}

export function queuesPage(visitor: Visitor, queues: readonly QueueCounts[]): string {
  return page(visitor, {
    title: 'Queues',
    section: 'queues',
    body: html`<h1>Queues</h1>
      <p>${messages.queueMeaning}</p>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Queue</th>
            ${JOB_STATES.map((state) => html`<th scope="col">${state}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${queues.map(
            ({ name, counts }) =>
              html`<tr>
                <th scope="row">${name}</th>
                ${JOB_STATES.map(
                  (state) =>
                    html`<td data-label="${state}">
                      <a href="${BOARD_PATH}/queue/${name}?status=${state}" target="board"
                        >${amount(counts[state] ?? 0)}</a
                      >
                    </td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
      <h2>${messages.queueJobs}</h2>
      <iframe
        class="board"
        name="board"
        title="${messages.queueJobs}"
        src="${BOARD_PATH}/"
        loading="lazy"
      ></iframe>`,
  });
}
