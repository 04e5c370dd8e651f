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

/** Every legal move, as a second copy: adding or removing a move must be intended. */
const machines: readonly (readonly [string, Machine, readonly string[]])[] = [
  [
    'run',
    RUN_TRANSITIONS,
    [
      'planning → planned',
      'planning → not_planned',
      'planned → queued',
      'queued → running',
      'queued → failed',
      'running → queued',
      'running → succeeded',
      'running → partial',
      'running → failed',
      'partial → queued',
      'partial → succeeded',
      'failed → queued',
    ],
  ],
  [
    'action',
    ACTION_TRANSITIONS,
    [
      'draft → planned',
      'draft → failed',
      'draft → dropped',
      'planned → applied',
      'planned → failed',
      'planned → superseded',
      'failed → planned',
      'failed → applied',
      'failed → superseded',
      'applied → failed',
    ],
  ],
  [
    'generation task',
    TASK_TRANSITIONS,
    [
      'requested → succeeded',
      'requested → failed',
      'requested → no_urls',
      'requested → abandoned',
      'abandoned → succeeded',
      'abandoned → failed',
      'abandoned → no_urls',
    ],
  ],
  [
    'delivery',
    DELIVERY_TRANSITIONS,
    [
      'received → processed',
      'received → parked',
      'received → failed',
      'parked → received',
      'parked → processed',
      'failed → received',
      'processed → received',
    ],
  ],
  [
    'write-back',
    WRITE_BACK_TRANSITIONS,
    [
      'pending_review → ready',
      'pending_review → rejected',
      'pending_review → skipped',
      'ready → applied',
      'ready → skipped',
      'ready → conflicted',
      'ready → failed',
      'ready → pending_review',
      'conflicted → ready',
      'conflicted → rejected',
      'failed → ready',
      'failed → rejected',
      'applied → reverted',
      'rejected → pending_review',
    ],
  ],
  [
    'bulk change',
    BULK_CHANGE_TRANSITIONS,
    [
      'queued → running',
      'queued → cancelled',
      'running → queued',
      'running → done',
      'running → failed',
      'running → cancelled',
    ],
  ],
];

/** The states of each kind of row, as people know them. */
const states: Readonly<Record<string, readonly string[]>> = {
  run: ['planning', 'planned', 'not_planned', 'queued', 'running', 'succeeded', 'partial', 'failed'],
  action: ['draft', 'dropped', 'planned', 'applied', 'failed', 'superseded'],
  'generation task': ['requested', 'succeeded', 'failed', 'no_urls', 'abandoned'],
  delivery: ['received', 'processed', 'parked', 'failed'],
  'write-back': [
    'pending_review',
    'ready',
    'applied',
    'skipped',
    'conflicted',
    'failed',
    'rejected',
    'reverted',
  ],
  'bulk change': ['queued', 'running', 'done', 'failed', 'cancelled'],
};

const terminal: Readonly<Record<string, readonly string[]>> = {
  run: ['not_planned', 'succeeded'],
  action: ['dropped', 'superseded'],
  'generation task': ['succeeded', 'failed', 'no_urls'],
  delivery: [],
  'write-back': ['skipped', 'reverted'],
  'bulk change': ['done', 'failed', 'cancelled'],
};

function moves(machine: Machine): string[] {
  return Object.entries(machine).flatMap(([from, to]) => to.map((each) => `${from} → ${each}`));
}

describe.each(machines)('a %s', (name, machine, legal) => {
  it('makes the legal moves and no other', () => {
    expect(moves(machine).sort()).toEqual([...legal].sort());
  });

  it('has the documented states, and every move leads to one of them', () => {
    expect(Object.keys(machine).sort()).toEqual([...(states[name] ?? [])].sort());
    for (const to of Object.values(machine).flat()) expect(Object.keys(machine)).toContain(to);
  });

  it('stays where it has ended', () => {
    const ended = Object.keys(machine).filter((state) => machine[state]?.length === 0);
    expect(ended.sort()).toEqual([...(terminal[name] ?? [])].sort());
  });

  it('never moves to the state it is in', () => {
    for (const [from, to] of Object.entries(machine)) expect(to).not.toContain(from);
  });

  it('may be moved to a state from exactly those that lead there', () => {
    for (const to of Object.keys(machine)) {
      const before = legal.filter((move) => move.endsWith(` → ${to}`)).map((move) => move.split(' ')[0]);
      expect(statesBefore(machine, to).sort()).toEqual(before.sort());
    }
  });
});

describe('statesBefore', () => {
  it.each(['succeeded', 'failed', 'no_urls'])('a settled task never becomes %s a second time', (to) => {
    expect(statesBefore(TASK_TRANSITIONS, to)).toEqual(['requested', 'abandoned']);
  });

  it('only what was applied is reverted', () => {
    expect(statesBefore(WRITE_BACK_TRANSITIONS, 'reverted')).toEqual(['applied']);
  });

  it('nothing leads to a state that does not exist', () => {
    expect(statesBefore(RUN_TRANSITIONS, 'nowhere')).toEqual([]);
  });
});
