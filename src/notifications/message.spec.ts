import { describe, expect, it } from '@jest/globals';
import { CONDITIONS } from './conditions.js';
import { messageOf } from './message.js';

const since = new Date('2026-11-21T02:00:30Z');
const endedAt = new Date('2026-11-21T03:15:00Z');
const row = (kind: string, facts: Record<string, unknown> = {}) => ({
  kind,
  facts,
  since,
  endedAt: null,
  subject: 'main',
});
const RUN = '67aa4175-5aba-4060-8c7a-304c06bf5166';

describe('a message', () => {
  it.each([
    ['run_failed', { code: 'auth', runId: RUN }, 'credentials were refused', `/runs/${RUN}`],
    ['run_failed', { code: 'misconfigured' }, 'fix the setting', '/'],
    ['run_failed', { code: 'limit', runId: RUN }, 'a limit stopped it', `/runs/${RUN}`],
    ['run_failed', { code: 'transient', retried: true }, 'it is retried automatically', '/'],
    ['run_failed', { code: 'constructor' }, 'a request was refused', '/'],
    ['products_refused', { runId: RUN }, 'the catalog refused some products', `/runs/${RUN}`],
    ['write_backs_failed', { count: 1 }, '1 write-back to store main', '/journal'],
    ['workspace_paused', {}, 'workspace main is paused', '/'],
    ['slot_taken', {}, 'store-sync webhook register --force --workspace main;', '/'],
    ['credits_low', { remaining: 3, minimum: 10 }, 'has 3 credits left', '/'],
    ['credits_low', { remaining: 11, minimum: 10, each: 2.5 }, 'is 10, a result costs 2.5)', '/'],
    ['deliveries_set_aside', { count: 2 }, '2 deliveries of workspace main were parked', '/deliveries'],
    ['of_another_release', { runId: 7 }, 'main: of_another_release', '/'],
    ['credits_low', { remaining: 'few' }, 'credits', '/'],
  ])('of %s %j says what, since when, what to do and where to look', (kind, facts, words, page) => {
    const [what, todo, link, ...rest] = messageOf(row(kind, facts), 'begun', 'https://s.example/').split(
      '\n',
    );
    expect(what).toMatch(/^store-sync: .*main.*, since 2026-11-21 02:00 UTC$/);
    expect(todo).toMatch(/^What to do: \S/);
    expect(`${what ?? ''}\n${todo ?? ''}`).toContain(words);
    expect([link, rest]).toEqual([`https://s.example${page}`, []]);
  });

  it.each(CONDITIONS)('of %s says when it was over, without a link where there is no address', (kind) => {
    const text = messageOf({ ...row(kind), endedAt }, 'ended', undefined);
    expect(text).toMatch(
      /^store-sync: .*main.*, since 2026-11-21 03:15 UTC \(the condition began 2026-11-21 02:00/,
    );
    expect(text).not.toContain('\n');
    expect(text).not.toMatch(/undefined|NaN/);
  });
});
