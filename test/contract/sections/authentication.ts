import { expect } from '@jest/globals';
import { SignJWT, UnsecuredJWT, decodeJwt } from 'jose';
import pg from 'pg';
import { z } from 'zod';
import { TOKENS } from '../../../src/catalog/assumptions.js';
import {
  inOwnSandbox,
  expectDetail,
  expectFieldErrors,
  expectRefusal,
  expectSuccess,
  type Contract,
  type RuleTest,
} from '../harness.js';

const DAY_MS = 24 * 60 * 60 * 1000;

const pairShape = z.looseObject({ access: z.string().min(1), refresh: z.string().min(1) });

/** The access token of a renewal, by whatever field has it: the answer is not documented. */
function renewedAccess(body: unknown): string {
  const answer = z.record(z.string(), z.unknown()).parse(body);
  const names = TOKENS.accessFields;
  return z
    .string()
    .min(1)
    .parse(names.map((name) => answer[name]).find((value) => value !== undefined));
}

async function logIn({ api, login }: Pick<Contract, 'api' | 'login'>): Promise<z.infer<typeof pairShape>> {
  const answer = await api.as(null).post('/login/', login);
  expectSuccess(answer);
  return pairShape.parse(answer.body);
}

/** "POST /login/", "POST /refresh/" and "Authentication". */
export function authenticationRules(rule: RuleTest): void {
  loginRules(rule);
  tokenRules(rule);
}

function loginRules(rule: RuleTest): void {
  rule('LOGIN-01', async ({ api }) => {
    for (const body of [{}, { email: 'no address', password: 'x' }]) {
      const { status } = await api.as(null).post('/login/', body);
      expect({ status, refused: status >= 400 && status < 500 }).toMatchObject({ refused: true });
    }
  });

  rule(
    'LOGIN-01',
    { note: 'by a field-level validation error', assumes: 'the refusal of a login is one of fields' },
    async ({ api }) => {
      expectFieldErrors(await api.as(null).post('/login/', {}), 'email', 'password');
      expectFieldErrors(await api.as(null).post('/login/', { email: 'no address', password: 'x' }), 'email');
    },
  );

  rule('LOGIN-02', { needs: ['login'] }, async (contract) => {
    await logIn(contract);
  });

  rule('LOGIN-03', { needs: ['login'] }, async ({ api, login }) => {
    expectRefusal(await api.as(null).post('/login/', { ...login, password: 'wrong' }));
    expectRefusal(await api.as(null).post('/login/', { email: 'nobody@example.com', password: 'wrong' }));
  });

  rule(
    'LOGIN-03',
    { note: 'with 401', needs: ['login'], assumes: 'the status of a refused login' },
    async ({ api, login }) => {
      expectDetail(await api.as(null).post('/login/', { ...login, password: 'wrong' }), 401);
    },
  );

  rule('LOGIN-04', { needs: ['login'] }, async ({ api, login }) => {
    expectSuccess(await api.as(null).post('/login/', login));
  });

  rule(
    'LOGIN-04',
    { note: 'nor looks at one', needs: ['login'], assumes: 'a token that is sent is not looked at' },
    async ({ api, login }) => {
      expectSuccess(await api.as('nonsense').post('/login/', login));
    },
  );

  rule('REFRESH-01', { needs: ['login'] }, async (contract) => {
    const { access, refresh } = await logIn(contract);
    const answer = await contract.api.as(access).post('/refresh/', { refresh });
    const renewed = renewedAccess(answer.body);
    expect((await contract.api.as(renewed).get('/products/')).status).toBe(200);
  });

  rule('REFRESH-02', { needs: ['login'] }, async (contract) => {
    const { access, refresh } = await logIn(contract);
    const tampered = `${refresh.slice(0, -4)}AAAA`;
    for (const invalid of [tampered, 'nonsense']) {
      const { status } = await contract.api.as(access).post('/refresh/', { refresh: invalid });
      expect({ status, refused: status >= 400 && status < 500 }).toMatchObject({ refused: true });
    }
  });

  rule(
    'REFRESH-02',
    { note: 'with 401', needs: ['login'], assumes: 'the status of a refused refresh' },
    async (contract) => {
      const { access } = await logIn(contract);
      expectDetail(await contract.api.as(access).post('/refresh/', { refresh: 'nonsense' }), 401);
    },
  );

  rule('REFRESH-03', { needs: ['login'], assumes: 'the status of a refused refresh' }, async (contract) => {
    const { access } = await logIn(contract);
    expectDetail(await contract.api.as(access).post('/refresh/', { refresh: access }), 401);
  });
}

function tokenRules(rule: RuleTest): void {
  const refusesWithoutToken =
    (endpoints: readonly (readonly [method: string, path: string])[]) =>
    async ({ api }: Contract): Promise<void> => {
      for (const [method, path] of endpoints) {
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
        expectDetail(await api.as(null).call(method, path, body), 401);
      }
    };

  rule(
    'AUTH-01',
    refusesWithoutToken([
      ['POST', '/refresh/'],
      ['GET', '/products/'],
      ['GET', '/products/0/'],
      ['GET', '/background-tasks/'],
      ['GET', '/background-tasks/0/'],
      ['GET', '/settings/webhooks/'],
    ]),
  );

  rule(
    'AUTH-01',
    { note: 'also those that write' },
    refusesWithoutToken([
      ['POST', '/products/'],
      ['PUT', '/products/0/'],
      ['PATCH', '/products/0/'],
      ['POST', '/settings/webhooks/'],
    ]),
  );

  rule(
    'AUTH-01',
    { note: 'also those whose paths are not documented', assumes: 'these paths and methods' },
    refusesWithoutToken([
      ['DELETE', '/products/0/'],
      ['GET', '/products/0/variants/'],
      ['POST', '/products/0/variants/'],
      ['POST', '/products/upload-csv/'],
      ['POST', '/products/generate/'],
    ]),
  );

  rule(
    'AUTH-01',
    {
      note: 'also the removal of the webhook configuration',
      needs: ['slot'],
    },
    refusesWithoutToken([['DELETE', '/settings/webhooks/']]),
  );

  rule('AUTH-02', async (contract) => {
    const product = await contract.create({ name: 'Kettle' });
    expect((await contract.api.get('/products/')).status).toBe(200);
    expectSuccess(await contract.api.patch(`/products/${product.id}/`, { name: 'Pot' }));
  });

  inOwnSandbox(rule, 'AUTH-03', {}, async (own) => {
    own.clock.advance(3650 * DAY_MS);
    expect((await own.api.get('/products/')).status).toBe(200);
  });

  rule('AUTH-04', { needs: ['sandbox'] }, async ({ own }) => {
    const { id, token } = await own.sandbox.issueApiToken('to be revoked');
    expect((await own.api.as(token).get('/products/')).status).toBe(200);
    expect(await own.sandbox.revokeApiToken(id)).toBe(true);
    expectDetail(await own.api.as(token).get('/products/'), 401);
    expect(await own.sandbox.revokeApiToken(id)).toBe(false);
  });

  rule('AUTH-05', { needs: ['sandbox'] }, async ({ own }) => {
    const { id, token } = await own.sandbox.issueApiToken('secret');
    const client = new pg.Client({ connectionString: own.place.databaseUrl });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(
      `SELECT * FROM ${own.place.schema}.api_token WHERE id = $1`,
      [id],
    );
    await client.end();
    expect(rows[0]?.['token_hash']).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(rows)).not.toContain(token.slice(-20));
  });

  rule('AUTH-06', { needs: ['login'] }, async (contract) => {
    const { access } = await logIn(contract);
    expect((await contract.api.as(access).get('/products/')).status).toBe(200);
  });

  inOwnSandbox(rule, 'AUTH-07', {}, async (own, contract) => {
    const { access } = await logIn({ api: own.api, login: contract.login });
    own.clock.advance(7 * DAY_MS - 60_000);
    expect((await own.api.as(access).get('/products/')).status).toBe(200);
    own.clock.advance(60_000);
    expectDetail(await own.api.as(access).get('/products/'), 401);
  });

  inOwnSandbox(rule, 'AUTH-08', {}, async (own, contract) => {
    const { access, refresh } = await logIn({ api: own.api, login: contract.login });
    own.clock.advance(14 * DAY_MS - 60_000);
    // The access token ran out a week ago; renewing it is what the call is for.
    const renewed = renewedAccess((await own.api.as(access).post('/refresh/', { refresh })).body);
    expect((await own.api.as(renewed).get('/products/')).status).toBe(200);
    own.clock.advance(60_000);
    expectDetail(await own.api.as(renewed).post('/refresh/', { refresh }), 401);
  });

  for (const [id, token, days] of [
    ['AUTH-07', 'access', 7],
    ['AUTH-08', 'refresh', 14],
  ] as const) {
    rule(
      id,
      { note: 'as the token says', needs: ['login'], assumes: 'the token names its expiry' },
      async (contract) => {
        const pair = await logIn(contract);
        const { iat, exp } = decodeJwt(pair[token]);
        const issuedSeconds = iat ?? contract.now().getTime() / 1000;
        expect(Math.abs((exp ?? 0) - issuedSeconds - (days * DAY_MS) / 1000)).toBeLessThan(300);
      },
    );
  }

  rule('AUTH-09', async ({ api }) => {
    for (const token of [null, 'nonsense', 'a.b.c']) expectDetail(await api.as(token).get('/products/'), 401);
  });

  rule('AUTH-10', { needs: ['narrow token'] }, async ({ api, target }) => {
    const narrow = api.as(target.narrowToken ?? null);
    const refused = [];
    for (const path of ['/products/', '/background-tasks/', '/settings/webhooks/']) {
      const answer = await narrow.get(path);
      if (answer.status === 403) refused.push(answer);
    }
    expect(refused).not.toEqual([]);
  });

  rule('AUTH-10', { note: 'by the scopes of the token', needs: ['sandbox'] }, async ({ own }) => {
    const { token } = await own.sandbox.issueApiToken('products only', { scopes: ['products'] });
    const narrow = own.api.as(token);
    expect((await narrow.get('/products/')).status).toBe(200);
    expectDetail(await narrow.get('/background-tasks/'), 403);
    expectDetail(await narrow.get('/settings/webhooks/'), 403);
    expectDetail(await narrow.post('/settings/webhooks/', { url: 'https://example.com/' }), 403);
  });

  rule('AUTH-15', { needs: ['sandbox'] }, async ({ own }) => {
    await own.sandbox.setSubscription(false);
    try {
      expectDetail(await own.api.get('/products/'), 403);
      expectDetail(await own.api.as('nonsense').get('/products/'), 401);
    } finally {
      await own.sandbox.setSubscription(true);
    }
    expect((await own.api.get('/products/')).status).toBe(200);
  });

  rule('AUTH-12', { needs: ['login'] }, async (contract) => {
    const { refresh } = await logIn(contract);
    expectDetail(await contract.api.as(refresh).get('/products/'), 401);
  });

  rule('AUTH-13', { needs: ['login'] }, async (contract) => {
    const { access } = await logIn(contract);
    const claims = decodeJwt(access);
    const otherKey = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32));
    for (const token of [otherKey, new UnsecuredJWT(claims).encode(), `${access.slice(0, -4)}AAAA`]) {
      expectDetail(await contract.api.as(token).get('/products/'), 401);
    }
  });
}
