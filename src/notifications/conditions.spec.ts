import { describe, expect, it } from '@jest/globals';
import {
  WORKSPACE_KINDS,
  type StoreFacts,
  type WorkspaceFacts,
} from '../persistence/notification.repository.js';
import { judge } from './conditions.js';

const STORE: StoreFacts = {
  ...{ store: 's', runId: 'r', state: 'succeeded', errorCode: null, endedAt: new Date(0) },
  ...{ retried: false, failedWriteBacks: 0, pausedCode: null, pausedSince: null },
};
const WORKSPACE: WorkspaceFacts = {
  ...{ workspace: 'w', paused: false, webhookState: 'ours', webhookCheckedAt: null },
  ...{ creditsRemaining: 5, creditsAt: null, creditsEach: 3, setAside: 0 },
};

function held(store: Partial<StoreFacts>, workspace: Partial<WorkspaceFacts> = {}): Record<string, boolean> {
  const minCredits = new Map([['w', 1]]);
  const facts = { stores: [{ ...STORE, ...store }], workspaces: [{ ...WORKSPACE, ...workspace }] };
  return Object.fromEntries(judge(facts, { minCredits }).map(({ kind, holds }) => [kind, holds]));
}

const FINE = {
  ...{ run_failed: false, products_refused: false, write_backs_failed: false, workspace_paused: false },
  ...{ store_paused: false, deliveries_set_aside: false, slot_taken: false, credits_low: false },
};

describe('the list of conditions', () => {
  it('is nothing where all is well', () => {
    expect(held({})).toEqual(FINE);
  });

  it('is about workspaces by the kinds that the rows are told apart by', () => {
    const found = judge({ stores: [], workspaces: [WORKSPACE] }, { minCredits: new Map([['w', 1]]) });
    expect(found.map(({ kind }) => kind).sort()).toEqual([...WORKSPACE_KINDS].sort());
  });

  it.each([
    ['a failed run', { state: 'failed', errorCode: 'transient' }, { run_failed: true }],
    ['a run of an unknown fault', { state: 'failed', errorCode: null }, { run_failed: true }],
    ['a refused run', { state: 'failed', errorCode: 'invalid' }, { run_failed: true }],
    ['a run cut off', { state: 'partial', errorCode: 'throttled' }, { run_failed: true }],
    ['a run that is tried again', { state: 'running', errorCode: 'auth' }, { run_failed: true }],
  ])('after %s says nothing of refused products', (_what, store, expected) => {
    const { products_refused: _refused, ...rest } = FINE;
    expect(held(store)).toEqual({ ...rest, ...expected });
  });

  it.each(['auth', 'throttled'])(
    'while a store is paused leaves a run that failed as %s to the pause',
    (errorCode) => {
      const found = held({ pausedCode: 'credentials_refused', state: 'failed', errorCode });
      expect(found['store_paused']).toBe(true);
      expect(found['run_failed']).toBeUndefined();
    },
  );

  it.each([
    ['refused products', { state: 'partial', errorCode: 'invalid' }, {}, { products_refused: true }],
    ['failed write-backs', { failedWriteBacks: 2 }, {}, { write_backs_failed: true }],
    ['a pause', {}, { paused: true }, { workspace_paused: true }],
    ['a store’s pause', { pausedCode: 'write_access_missing' }, {}, { store_paused: true }],
    ['a slot of somebody else', {}, { webhookState: 'foreign' }, { slot_taken: true }],
    ['an empty slot', {}, { webhookState: 'free' }, {}],
    ['credits at the minimum', {}, { creditsRemaining: 1 }, { credits_low: true }],
    ['less than one result costs over it', {}, { creditsRemaining: 3.9 }, { credits_low: true }],
    ['what one result costs over it', {}, { creditsRemaining: 4 }, {}],
    ['deliveries set aside', {}, { setAside: 1 }, { deliveries_set_aside: true }],
  ])('with %s is that and nothing else', (_what, store, workspace, expected) => {
    expect(held(store, workspace)).toEqual({ ...FINE, ...expected });
  });

  it.each([
    ['no run has ended', { runId: null }, {}, ['run_failed', 'products_refused']],
    ['the slot was never looked at', {}, { webhookState: null }, ['slot_taken']],
    ['the slot could not be read', {}, { webhookState: 'unknown' }, ['slot_taken']],
    ['no credits were reported', {}, { creditsRemaining: null }, ['credits_low']],
  ])('is not judged where %s', (_what, store, workspace, absent) => {
    expect(Object.keys(FINE).filter((kind) => !(kind in held(store, workspace)))).toEqual(absent);
  });
});
