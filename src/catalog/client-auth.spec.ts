import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  FakeService,
  PRODUCT,
  VirtualTime,
  jwt,
  type Handler,
} from '../../test/support/catalog-client/fake-service.js';
import { failureOf } from '../../test/support/failure-of.js';

const service = FakeService.ofFile();
let time: VirtualTime;
beforeEach(() => {
  time = new VirtualTime();
});

const LOGIN = { email: 'ops@example.com', password: 'correct-horse-battery' };
const DAY_MS = 86_400_000;
const unauthorised = { status: 401, json: { detail: 'The given token is not valid.' } };
const count = (line: string) => service.lines().filter((asked) => asked === line).length;

/** A service that accepts the tokens in `valid` and issues access-1, access-2, … for a login or refresh. */
function sessionService(refreshAnswer?: (access: string) => unknown) {
  const state = { valid: new Set<string>(), issued: 0, refreshStatus: 200, loginStatus: 200 };
  const issue = () => {
    state.issued += 1;
    const access = `access-${String(state.issued)}`;
    state.valid.add(access);
    return access;
  };
  const handler: Handler = ({ path, bearer }) => {
    if (path === '/login/') {
      if (state.loginStatus !== 200)
        return { status: state.loginStatus, json: { detail: 'No active account.' } };
      const access = issue();
      return { json: { access, refresh: `refresh-${String(state.issued)}` } };
    }
    if (path === '/refresh/') {
      if (state.refreshStatus !== 200)
        return { status: state.refreshStatus, json: { detail: 'Token is blacklisted.' } };
      const access = issue();
      return { json: refreshAnswer === undefined ? { access } : refreshAnswer(access) };
    }
    return bearer !== undefined && state.valid.has(bearer) ? { json: PRODUCT } : unauthorised;
  };
  service.handler = handler;
  return state;
}

/** Such a service, and a client that has read a product under access-1. */
async function loggedIn(refreshAnswer?: (access: string) => unknown) {
  const state = sessionService(refreshAnswer);
  const client = service.client({ auth: LOGIN }, time);
  await client.getProduct(7);
  return { state, client };
}

describe('API token', () => {
  it('[AUTH-01] [AUTH-02] goes with every request as the bearer', async () => {
    service.handler = () => ({ json: PRODUCT });
    await service.client().getProduct(7);
    expect(service.asked[0]?.headers['authorization']).toBe('Bearer api-token-1');
  });

  it('[AUTH-09] [ERROR-02] [LIST-19] [CREATE-11] refused with 401 is an auth error, and is not sent again', async () => {
    service.handler = () => unauthorised;
    const client = service.client({ auth: { apiToken: 'api-token-1', ...LOGIN } });
    expect(await failureOf(client.listProducts())).toMatchObject({
      code: 'auth',
      status: 401,
      message: 'catalog listProducts answered 401: The given token is not valid.',
    });
    expect(await failureOf(client.upsertProduct({ name: 'a' }))).toMatchObject({ code: 'auth', status: 401 });
    expect(service.lines()).toEqual(['GET /products/', 'POST /products/']);
  });

  it('[AUTH-10] [AUTH-15] [ERROR-03] 403 without a login names the missing permission, distinguished from 401', async () => {
    service.handler = () => ({ status: 403, json: { detail: 'Upgrade your plan.' } });
    expect(await failureOf(service.client().listBackgroundTasks())).toMatchObject({
      code: 'auth',
      status: 403,
      message:
        'catalog listBackgroundTasks answered 403: missing permission or subscription: Upgrade your plan.',
    });
    expect(service.asked).toHaveLength(1);
  });

  it('where it gets 403 the login serves, from then on for the whole group and for no other', async () => {
    const state = sessionService();
    const serve = service.handler;
    service.handler = (asked) => {
      if (asked.bearer !== 'api-token-1') return serve(asked);
      return asked.path.startsWith('/products') ? { json: PRODUCT } : { status: 403, json: { detail: 'no' } };
    };
    const client = service.client({ auth: { apiToken: 'api-token-1', ...LOGIN } });
    await client.getBackgroundTask('a');
    await client.getBackgroundTask('b');
    await client.getProduct(7);
    expect(service.asked.map(({ path, bearer }) => [path, bearer])).toEqual([
      ['/background-tasks/a/', 'api-token-1'],
      ['/login/', undefined],
      ['/background-tasks/a/', 'access-1'],
      ['/background-tasks/b/', 'access-1'],
      ['/products/7/', 'api-token-1'],
    ]);
    expect(state.issued).toBe(1);
  });

  it('403 for the token and for the login is reported, once each', async () => {
    service.handler = ({ path }) =>
      path === '/login/'
        ? { json: { access: 'a-1-1', refresh: 'r-1-1' } }
        : { status: 403, json: { detail: 'no' } };
    const client = service.client({ auth: { apiToken: 'api-token-1', ...LOGIN } });
    expect(await failureOf(client.getWebhookSettings())).toMatchObject({ code: 'auth', status: 403 });
    expect(service.asked).toHaveLength(3);
  });

  it('an answer of the login other than a refusal is remembered as service, a missing webhook slot among it', async () => {
    service.handler = ({ path, bearer }) => {
      if (path === '/login/') return { json: { access: 'a-1-1', refresh: 'r-1-1' } };
      return { status: bearer === 'a-1-1' ? 404 : 403, json: { detail: 'no' } };
    };
    const client = service.client({ auth: { apiToken: 'api-token-1', ...LOGIN } });
    expect(await client.getWebhookSettings()).toBeNull();
    expect(await client.getWebhookSettings()).toBeNull();
    expect(service.asked).toHaveLength(4);
  });
});

describe('login', () => {
  it('[LOGIN-02] [LOGIN-04] [AUTH-06] logs in without a bearer and uses the access token', async () => {
    sessionService();
    await service.client({ auth: LOGIN }, time).getProduct(7);
    expect(service.asked.map(({ path, bearer }) => [path, bearer])).toEqual([
      ['/login/', undefined],
      ['/products/7/', 'access-1'],
    ]);
    expect(service.asked[0]?.json()).toEqual(LOGIN);
  });

  it('[LOGIN-03] a refused login says why, without the password, and is not tried again for a minute', async () => {
    const state = sessionService();
    state.loginStatus = 401;
    const client = service.client({ auth: LOGIN }, time);
    const error = await failureOf(client.getProduct(7));
    expect(error).toMatchObject({
      code: 'auth',
      status: 401,
      message: 'catalog refused the login: catalog login answered 401: No active account.',
    });
    await failureOf(client.getProduct(7));
    expect(count('POST /login/')).toBe(1);
    state.loginStatus = 200;
    time.advance(61_000);
    await client.getProduct(7);
    expect(count('POST /login/')).toBe(2);
  });

  it.each([404, 409])(
    'a login that is answered with %i is no word about the product that was asked for',
    async (status) => {
      sessionService().loginStatus = status;
      const client = service.client({ auth: LOGIN });
      expect(await failureOf(client.getProduct(7))).toMatchObject({ code: 'auth', status });
      expect(await failureOf(client.getWebhookSettings())).toMatchObject({ code: 'auth', status });
      expect(service.lines()).toEqual(['POST /login/']);
    },
  );

  it('a login answer of another shape shows nothing of itself', async () => {
    service.handler = () => ({ json: { tokens: { access: 'top-secret-access' } } });
    const error = await failureOf(service.client({ auth: LOGIN }).login());
    expect(error).toMatchObject({ code: 'transient' });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('top-secret');
  });

  it('[AUTH-14] fifty requests with an expired token cause one login', async () => {
    const { state, client } = await loggedIn();
    state.refreshStatus = 401;
    time.advance(15 * DAY_MS);
    state.valid.clear();
    await Promise.all(Array.from({ length: 50 }, () => client.getProduct(7)));
    expect(count('POST /login/')).toBe(2);
    expect(count('POST /refresh/')).toBe(0);
    expect(count('GET /products/7/')).toBe(51);
  });

  it('[AUTH-14] fifty requests whose token is revoked unannounced cause one renewal', async () => {
    const { state, client } = await loggedIn();
    state.refreshStatus = 401;
    state.valid.clear();
    await Promise.all(Array.from({ length: 50 }, () => client.getProduct(7)));
    expect(count('POST /refresh/')).toBe(1);
    expect(count('POST /login/')).toBe(2);
  });

  it('after a renewal that does not help, the 401 is reported, not answered by another round', async () => {
    const state = sessionService();
    const client = service.client({ auth: LOGIN }, time);
    await client.login();
    const serve = service.handler;
    service.handler = (asked) => (asked.path.startsWith('/products') ? unauthorised : serve(asked));
    expect(await failureOf(client.getProduct(7))).toMatchObject({ code: 'auth', status: 401 });
    expect(count('GET /products/7/')).toBe(2);
    expect(state.issued).toBe(2);
  });

  it('neither token nor login is a mistake of the configuration', () => {
    expect(() => service.client({ auth: { email: 'a@b.c' } })).toThrow(/apiToken, or email and password/);
  });
});

describe('renewal', () => {
  it('[REFRESH-01] [AUTH-07] renews ahead of the seven days, sending the bearer with the refresh token', async () => {
    const { client } = await loggedIn();
    time.advance(7 * DAY_MS - 11 * 60_000);
    await client.getProduct(7);
    expect(count('POST /refresh/')).toBe(0);
    time.advance(2 * 60_000);
    await client.getProduct(7);
    const refresh = service.asked.find(({ path }) => path === '/refresh/');
    expect(refresh?.bearer).toBe('access-1');
    expect(refresh?.json()).toEqual({ refresh: 'refresh-1' });
    expect(service.asked.at(-1)?.bearer).toBe('access-2');
  });

  it('uses a login without a refresh token to its end, and logs in again', async () => {
    let logins = 0;
    service.handler = ({ path }) =>
      path === '/login/' ? { json: { access: `a-${String(++logins)}` } } : { json: PRODUCT };
    const client = service.client({ auth: LOGIN }, time);
    await client.getProduct(7);
    await client.getProduct(7);
    time.advance(8 * 86_400_000);
    await client.getProduct(7);
    expect(service.asked.map(({ path, bearer }) => bearer ?? path)).toEqual([
      '/login/',
      'a-1',
      'a-1',
      '/login/',
      'a-2',
    ]);
  });

  it('[REFRESH-04] keeps the refresh token when the answer holds none, and takes a new one', async () => {
    const refreshes = () =>
      service.asked.filter(({ path }) => path === '/refresh/').map((asked) => asked.json());
    sessionService();
    const keeps = service.client({ auth: LOGIN }, time);
    await keeps.login();
    await keeps.refresh();
    await keeps.refresh();
    expect(refreshes()).toEqual([{ refresh: 'refresh-1' }, { refresh: 'refresh-1' }]);
    service.reset();
    sessionService((access) => ({ access, refresh: `rotated-${access}` }));
    const takes = service.client({ auth: LOGIN }, time);
    await takes.login();
    await takes.refresh();
    await takes.refresh();
    expect(refreshes()).toEqual([{ refresh: 'refresh-1' }, { refresh: 'rotated-access-2' }]);
  });

  it.each([
    ['access_token', (access: string) => ({ access_token: access, token_type: 'Bearer' })],
    ['token', (access: string) => ({ token: access })],
    ['a bare string', (access: string) => access],
  ])('[REFRESH-04] understands a refresh answer with %s', async (_name, answer) => {
    sessionService(answer);
    const client = service.client({ auth: LOGIN }, time);
    await client.login();
    await client.refresh();
    await client.getProduct(7);
    expect(service.asked.at(-1)?.bearer).toBe('access-2');
    expect(count('POST /login/')).toBe(1);
  });

  it.each([401, 400, 403, 404, 500])(
    '[REFRESH-02] a refresh that ends in %d is followed by a login',
    async (status) => {
      const { state, client } = await loggedIn();
      state.refreshStatus = status;
      state.valid.clear();
      await client.getProduct(7);
      expect(count('POST /refresh/')).toBe(1);
      expect(count('POST /login/')).toBe(2);
    },
  );

  it('[REFRESH-02] a refresh answer of an unknown shape is followed by a login', async () => {
    const { state, client } = await loggedIn(() => ({ result: 'fine' }));
    state.valid.clear();
    await client.getProduct(7);
    expect(count('POST /login/')).toBe(2);
  });

  it('[AUTH-08] a refresh token of more than fourteen days is not tried', async () => {
    sessionService();
    const client = service.client({ auth: LOGIN }, time);
    await client.login();
    time.advance(14 * DAY_MS);
    await client.getProduct(7);
    expect(count('POST /refresh/')).toBe(0);
    expect(count('POST /login/')).toBe(2);
  });

  it('[AUTH-07] uses the lifetime in the token, whatever the service’s clock says', async () => {
    const skewed = 1_000_000_000;
    service.handler = ({ path }) => {
      if (path === '/login/' || path === '/refresh/') {
        return { json: { access: jwt({ iat: skewed, exp: skewed + 600 }), refresh: 'refresh-x' } };
      }
      return { json: PRODUCT };
    };
    const client = service.client({ auth: LOGIN }, time);
    const info = await client.login();
    expect(info.accessExpiresAt.getTime() - time.now().getTime()).toBe(600_000);
    time.advance(530_000);
    await client.getProduct(7);
    expect(count('POST /refresh/')).toBe(0);
    time.advance(11_000);
    await client.getProduct(7);
    expect(count('POST /refresh/')).toBe(1);
  });

  it('a renewal ahead of time that fails for a while leaves the token in use', async () => {
    const { state, client } = await loggedIn();
    time.advance(7 * DAY_MS - 5 * 60_000);
    state.refreshStatus = 502;
    state.loginStatus = 502;
    await client.getProduct(7);
    await client.getProduct(7);
    expect(service.asked.at(-1)?.bearer).toBe('access-1');
    expect(count('POST /refresh/')).toBe(1);
  });
});

it('secrets appear in no error, however it is printed, even when the service echoes them', async () => {
  const session = [LOGIN.password, 'access-canary', 'refresh-canary'];
  let secrets = session;
  let echo = '';
  const failures: Handler[] = [
    () => ({ status: 400, json: { [`field ${echo}`]: [echo], non_field: echo } }),
    () => ({ status: 401, json: { detail: echo } }),
    () => ({ status: 500, text: echo }),
    () => ({ status: 302, headers: { location: `https://x.example/${secrets[0] ?? ''}?t=${echo}` } }),
    () => ({ status: 200, text: `<html>${echo}` }),
    () => ({ raw: (response) => void response.destroy() }),
    () => ({
      raw: (response) =>
        void response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
    }),
  ];
  for (const auth of [LOGIN, { apiToken: 'api-canary-token', ...LOGIN }]) {
    secrets = 'apiToken' in auth ? [...session, 'api-canary-token'] : session;
    echo = secrets.join(' ');
    for (const fail of failures) {
      service.handler = () => ({ json: { access: 'access-canary', refresh: 'refresh-canary' } });
      const client = service.client({ auth }, time);
      await client.login();
      service.handler = fail;
      for (const call of [() => client.getProduct(7), () => client.upsertProduct({ name: 'a' })]) {
        const error = await failureOf(call());
        const printed = `${inspect(error, { depth: 20, showHidden: true })} ${JSON.stringify(error)} ${String(error)}`;
        for (const secret of secrets) expect(printed).not.toContain(secret);
      }
    }
  }
});
