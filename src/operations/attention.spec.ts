import { describe, expect, it } from '@jest/globals';
import { attentionOf, type StoreFacts, type WorkspaceFacts } from './attention.js';
import { creditOutlook, lastDays } from './credits.js';

const RUN = { id: 'r1', status: 'succeeded', error: null, missing: 0, isRetried: false };
const FAILED = { ...RUN, status: 'failed', error: 'x' };
const store = (over: Partial<StoreFacts> = {}): StoreFacts => ({
  ...{ key: 'main', pause: null, servedVersion: null, lastRun: RUN, failedWrites: 0, withheld: 0 },
  ...over,
});
const workspace = (over: Partial<WorkspaceFacts> = {}): WorkspaceFacts => ({
  ...{ key: 'default', pause: null, slot: { isTaken: false, detail: null }, daysLeft: null, isOut: false },
  ...over,
});
const NONE = { parked: 0, failedDeliveries: 0, givenUp: 0, noSources: 0, forReview: 0 };
const kinds = (...stores: readonly StoreFacts[]): string[] =>
  attentionOf(stores, [workspace()], NONE).map(({ kind }) => kind);

describe('the list of things that need a person', () => {
  it('is empty when stores and workspaces work', () => {
    expect(kinds(store())).toEqual([]);
  });

  it.each<[string, Partial<StoreFacts>, string[]]>([
    ['a store without runs', { lastRun: null }, ['never_run']],
    ['a paused store, whose failed run is no news', { pause: 'x', lastRun: FAILED }, ['store_paused']],
    ['a failed run', { lastRun: FAILED }, ['run_failed']],
    ['a run that left some out', { lastRun: { ...RUN, status: 'partial', missing: 2 } }, ['run_incomplete']],
    ['failed writes', { failedWrites: 1 }, ['writes_failed']],
    ['withheld identifiers', { withheld: 1 }, ['identifiers_withheld']],
    ['a retired API version', { servedVersion: '2027-01' }, ['api_version_retired']],
  ])('has %s', (_what, facts, expected) => {
    expect(kinds(store(facts))).toEqual(expected);
  });

  it.each<[string, Partial<StoreFacts>]>([
    ['a run that was cancelled by a person', { lastRun: { ...RUN, status: 'failed' } }],
    ['a run that is tried again by itself', { lastRun: { ...FAILED, isRetried: true } }],
    ['a run that is under way', { lastRun: { ...RUN, status: 'running' } }],
  ])('leaves out %s', (_what, facts) => {
    expect(kinds(store(facts))).toEqual([]);
  });

  it('has the most important first', () => {
    const found = attentionOf(
      [store({ failedWrites: 1 }), store({ key: 'two', pause: 'refused' })],
      [workspace({ daysLeft: 3.5 })],
      { parked: 2, failedDeliveries: 3, givenUp: 1, noSources: 4, forReview: 9 },
    );
    expect(found.map(({ kind, of, count }) => [kind, of, count])).toEqual([
      ['store_paused', 'two', 1],
      ['writes_failed', 'main', 1],
      ['deliveries_set_aside', null, 2],
      ['deliveries_failed', null, 3],
      ['generations_given_up', null, 1],
      ['no_sources', null, 4],
      ['credits_low', 'default', 3],
      ['review_waiting', null, 9],
    ]);
  });

  it('has one entry about the credits of a workspace', () => {
    const found = attentionOf([store()], [workspace({ daysLeft: 0, isOut: true })], NONE);
    expect(found.map(({ kind }) => kind)).toEqual(['credits_out']);
  });

  it('asks for the first store where there is none', () => {
    expect(kinds()).toEqual(['no_stores']);
  });
});

describe('the outlook of credits', () => {
  const now = new Date('2026-11-22T23:59:00Z');
  const spent = (day: string, credits: number) => ({ workspace: 'default', day, credits });

  it('has thirty days, the last one is today', () => {
    expect([lastDays(now, 30)[0], lastDays(now, 30)[29]]).toEqual(['2026-10-24', '2026-11-22']);
  });

  it('compares the days since the first result: days without results count', () => {
    const outlook = creditOutlook(100, [spent('2026-11-15', 70), spent('2026-11-22', 10)], now);
    expect(outlook).toMatchObject({ perDay: 10, daysLeft: 10, runsOutOn: '2026-12-02' });
  });

  it('is no forecast in the first week of results', () => {
    const outlook = creditOutlook(100, [spent('2026-11-19', 30), spent('2026-11-22', 10)], now);
    expect(outlook).toMatchObject({ perDay: 10, daysLeft: null, runsOutOn: null });
  });

  it('is unknown before the first result, and where nothing is reported', () => {
    expect(creditOutlook(100, [], now)).toMatchObject({ perDay: null, daysLeft: null, runsOutOn: null });
    expect(creditOutlook(null, [spent('2026-11-22', 1)], now)).toMatchObject({ perDay: 1, runsOutOn: null });
  });

  it('can be written down for credits that last longer than dates do', () => {
    expect(creditOutlook(1e15, [spent('2026-11-01', 0.001)], now).runsOutOn).toEqual(expect.any(String));
  });
});
