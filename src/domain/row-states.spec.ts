import { describe, expect, it } from '@jest/globals';
import {
  ACTION_TRANSITIONS,
  BULK_CHANGE_TRANSITIONS,
  DELIVERY_TRANSITIONS,
  RUN_TRANSITIONS,
  statesBefore,
  TASK_TRANSITIONS,
  WRITE_BACK_TRANSITIONS,
} from './row-states.js';

type Machine = Readonly<Record<string, readonly string[]>>;

/** Every state with the states that it moves to, as a second copy: adding or removing a move must be intended. */
const machines: readonly (readonly [string, Machine, readonly string[]])[] = [
  [
    'run',
    RUN_TRANSITIONS,
    [
      'planning → planned not_planned',
      'planned → queued',
      'not_planned →',
      'queued → running failed',
      'running → queued succeeded partial failed',
      'succeeded →',
      'partial → queued succeeded',
      'failed → queued',
    ],
  ],
  [
    'action',
    ACTION_TRANSITIONS,
    [
      'draft → planned failed dropped',
      'dropped →',
      'planned → applied failed superseded',
      'applied → failed',
      'failed → planned applied superseded',
      'superseded →',
    ],
  ],
  [
    'generation task',
    TASK_TRANSITIONS,
    [
      'requested → succeeded failed no_urls abandoned',
      'succeeded →',
      'failed →',
      'no_urls →',
      'abandoned → succeeded failed no_urls',
    ],
  ],
  [
    'delivery',
    DELIVERY_TRANSITIONS,
    [
      'received → processed parked failed',
      'processed → received',
      'parked → received processed',
      'failed → received',
    ],
  ],
  [
    'write-back',
    WRITE_BACK_TRANSITIONS,
    [
      'pending_review → ready rejected skipped',
      'ready → applied skipped conflicted failed pending_review',
      'applied → reverted',
      'skipped →',
      'conflicted → ready rejected',
      'failed → ready rejected',
      'rejected → pending_review',
      'reverted →',
    ],
  ],
  [
    'bulk change',
    BULK_CHANGE_TRANSITIONS,
    [
      'queued → running cancelled',
      'running → queued done failed cancelled',
      'done →',
      'failed →',
      'cancelled →',
    ],
  ],
];

describe.each(machines)('a %s', (_name, machine, documented) => {
  it('has the documented states, makes the legal moves and no other', () => {
    const moves = Object.entries(machine).map(([from, to]) => `${from} → ${to.join(' ')}`.trim());
    expect(moves.toSorted()).toEqual(documented.toSorted());
  });

  it('may be moved to a state from exactly those that lead there', () => {
    for (const to of Object.keys(machine)) {
      const before = documented.map((line) => line.split(' ')).filter(([, , ...next]) => next.includes(to));
      expect(statesBefore(machine, to).toSorted()).toEqual(before.map(([from]) => from).toSorted());
    }
  });
});

it('nothing leads to a state that does not exist', () => {
  expect(statesBefore(RUN_TRANSITIONS, 'nowhere')).toEqual([]);
});
