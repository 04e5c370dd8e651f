import { describe, expect, it } from '@jest/globals';
import type { TokenGrant } from '../index.js';
import { connect, data, refusal, ScriptedStore } from '../../../test/support/store/scripted-store.js';
import { failureOf } from '../../../test/support/failure-of.js';

const COUNT = { productsCount: { count: 3, precision: 'EXACT' } };
const auth = { clientId: 'client-1', clientSecret: 'secret-1' };

const store = ScriptedStore.forEachTest();

it('the credentials of an app are exchanged for a token of unknown life where the answer names none, until it is refused', async () => {
  store.answerWith(({ operation, earlier, headers }) => {
    if (operation === '') return { json: { access_token: `token-${String(earlier + 1)}` } };
    const isRefused = headers['x-shopify-access-token'] === 'token-1' && earlier === 2;
    return isRefused ? { status: 401, json: { errors: 'no' } } : data(COUNT);
  });
  const { connector, advance } = connect(store.url, { auth });
  for (let days = 0; days < 3; days += 1) {
    await expect(connector.parts.pages.count('')).resolves.toBe(3);
    advance(86_400_000);
  }
  expect(store.calls.filter(({ operation }) => operation === '')).toHaveLength(2);
});

it('a token that another call found refused is in no error of the calls that it was sent with', async () => {
  const rest = Promise.withResolvers<'send'>();
  store.answerWith(({ operation, earlier, headers }) => {
    if (operation === '') return { json: { access_token: `token-${String(earlier + 1)}` } };
    if (operation === 'BulkPoll')
      return headers['x-shopify-access-token'] === 'token-1'
        ? { status: 401, text: '' }
        : data({ bulkOperation: null });
    return operation === 'ProductsCount'
      ? data(COUNT)
      : { ...refusal('OTHER', 'token-1 is odd'), stallAfterBytes: 1, rest: rest.promise };
  });
  const { pages, exports } = store.parts({ auth });
  await pages.count('');
  const counting = failureOf(pages.products({ query: '', since: null }).next());
  await exports.poll('1');
  rest.resolve('send');
  expect((await counting).message).toContain('[secret] is odd');
});

describe('the tokens of an installation', () => {
  /** Tokens that ended, as they are kept; `renewed` replaces them. */
  function keptTokens() {
    const state = {
      accessToken: 'old',
      refreshToken: 'refresh-1' as string | null,
      until: 0 as number | null,
    };
    return {
      state,
      read: () => Promise.resolve({ accessToken: state.accessToken, until: state.until }),
      renewed: async (_expired: string, renew: (refresh: string) => Promise<TokenGrant>) => {
        const grant = await renew(state.refreshToken ?? '');
        Object.assign(state, { ...grant, until: grant.lifetimeMs });
        return { accessToken: grant.accessToken, until: null };
      },
    };
  }

  it('keep the refresh token when a renewal names no new one', async () => {
    const kept = keptTokens();
    store.answerWith(({ operation }) =>
      operation === '' ? { json: { access_token: 'new', expires_in: 3600 } } : data(COUNT),
    );
    await store.parts({ auth: { ...auth, kept } }).pages.count('');
    expect(kept.state).toMatchObject({ accessToken: 'new', refreshToken: 'refresh-1' });
  });

  it.each([
    ['invalid_grant', /install the app again/],
    ['invalid_client', /check clientId and clientSecret/],
  ])('say who has to act when their renewal is refused with %s', async (refused, action) => {
    store.answerWith(() => ({ status: 400, json: { error: refused } }));
    const connector = store.connector({ auth: { ...auth, kept: keptTokens() } });
    const error = await failureOf(connector.parts.pages.count(''));
    expect(error).toMatchObject({ code: 'auth', status: 400 });
    expect(error.message).toMatch(action);
    expect(error.message).toContain(refused);
  });
});
