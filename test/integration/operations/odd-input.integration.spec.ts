import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { API_CONTROLLERS } from '../../../src/api/controllers.js';
import { openApiDocument } from '../../../src/api/openapi.js';
import { World } from '../../support/e2e-world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.startHere();
}, 60_000);
afterAll(() => world.end(), 60_000);

const operation = z.looseObject({
  parameters: z.array(z.looseObject({ name: z.string(), in: z.enum(['path', 'query', 'header']) })),
  requestBody: z.unknown().optional(),
});
const {
  paths,
  components: { schemas },
} = z
  .looseObject({
    paths: z.record(z.string(), z.record(z.string(), operation)),
    components: z.looseObject({
      schemas: z.record(
        z.string(),
        z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() }),
      ),
    }),
  })
  .parse(openApiDocument(API_CONTROLLERS));
const ROUTES = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ method: method.toUpperCase(), path, described })),
);

/** URL-encoded, as a caller sends them. */
const ODD: readonly string[] = [
  '',
  '%20',
  '%F0%9F%A4%94',
  '-1',
  '99999999999999999999999',
  '1e309',
  '%27%3B%20DROP%20TABLE%20store_product%3B--',
  '..%2F..%2Fetc%2Fpasswd',
  '__proto__',
  '%2B275760-09-13T00%3A00%3A00.001Z',
  '-271821-04-20T00%3A00%3A00Z',
  '00000000-0000-0000-0000-000000000000',
  '%EF%BF%BE',
  '%2500',
  '%ED%A0%80',
  '%',
  'a'.repeat(3000),
];
const NUL = ['%00', 'a%00b', '%00%00'];

const BODY_VALUES: readonly unknown[] = [
  '\ud83e',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  'a'.repeat(5000),
  -1,
  1e308,
  null,
  true,
  [],
  {},
  [[[]]],
  ['\ud83e', 1, null],
];

/** The fields of the bodies that the route takes, and one that no route knows. */
function fieldsOf({ requestBody }: z.infer<typeof operation>): string[] {
  const names = [...JSON.stringify(requestBody ?? {}).matchAll(/#\/components\/schemas\/(\w+)/g)];
  const fields = names.flatMap(([, name = '']) => Object.keys(schemas[name]?.properties ?? {}));
  return [...fields, 'unknown'];
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
afterAll(() => agent.destroy());

/** The status of the answer to a path that goes out as it stands. */
function statusOf(
  method: string,
  path: string,
  body?: string | Buffer,
  type = 'application/json',
): Promise<number> {
  const { hostname, port } = new URL(world.url);
  const headers = {
    authorization: `Bearer ${world.adminToken}`,
    ...(body === undefined ? {} : { 'content-type': type }),
    ...(Buffer.isBuffer(body) ? { 'content-encoding': 'gzip' } : {}),
  };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ agent, hostname, port, method, path, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        resolve(answer.statusCode ?? 0);
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const filled = (path: string, value: string): string => path.replaceAll(/\{\w+\}/g, value);

describe.each(ROUTES)('$method $path', ({ method, path, described }) => {
  const names = described.parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const urls = (values: readonly string[]): string[] => [
    ...(path.includes('{') ? values.map((value) => filled(path, value)) : []),
    ...names.flatMap((name) => values.map((value) => `${filled(path, 'x')}?${name}=${value}`)),
  ];

  it('never answers an odd parameter with an error of its own', async () => {
    const failed: string[] = [];
    await Promise.all(
      urls(ODD).map(async (url) => {
        const status = await statusOf(method, url);
        if (status >= 500) failed.push(`${String(status)} ${url.slice(0, 200)}`);
      }),
    );
    expect(failed).toEqual([]);
  });

  it('refuses a NUL in a parameter', async () => {
    await Promise.all(
      [...urls(NUL), `${filled(path, 'x')}?unknown=%00`].map(async (url) => {
        expect([url, await statusOf(method, url)]).toEqual([url, 400]);
      }),
    );
  });

  if (method !== 'POST') return;
  const fields = fieldsOf(described);

  it('never answers an odd body with an error of its own', async () => {
    const failed: string[] = [];
    const bodies = [
      ...BODY_VALUES.flatMap((value) => fields.map((field) => ({ [field]: value }))),
      ...BODY_VALUES,
    ].map((value) => JSON.stringify(value));
    await Promise.all(
      [...bodies, '', '{', `${'['.repeat(50_000)}${']'.repeat(50_000)}`].map(async (body) => {
        const status = await statusOf(method, filled(path, 'x'), body);
        if (status >= 500) failed.push(`${String(status)} ${body.slice(0, 200)}`);
      }),
    );
    expect(failed).toEqual([]);
  });

  it('refuses a NUL anywhere in the body', async () => {
    for (const body of [
      ...fields.map((field) => JSON.stringify({ [field]: 'a\0b' })),
      JSON.stringify({ ids: ['\0'] }),
      JSON.stringify({ deep: [{ down: { '\0': 1 } }] }),
    ])
      expect([body, await statusOf(method, filled(path, 'x'), body)]).toEqual([body, 400]);
  });
});

it.each([
  ['/api/v1/write-backs/reject', '{"ids":["unknown"]}', 'application/json'],
  ['/login', 'token=unknown', 'application/x-www-form-urlencoded'],
])('nothing is decompressed: %s refuses a compressed body', async (path, body, type) => {
  expect(await statusOf('POST', path, gzipSync(body), type)).toBe(415);
});

function send(path: string, body: URLSearchParams, headers: Record<string, string> = {}): Promise<Response> {
  const own = { 'sec-fetch-site': 'same-origin', ...headers };
  return fetch(`${world.url}${path}`, { method: 'POST', body, headers: own, redirect: 'manual' });
}

describe('the pages', () => {
  it.each(['/products/%00', '/runs/%00', '/search?q=%00', '/login?next=%00', '/assets/%00'])(
    'refuse a NUL in %s',
    async (path) => {
      expect(await statusOf('GET', path)).toBe(400);
    },
  );

  it.each(['/login', '/review'])('take a large form at %s from a signed-in browser alone', async (path) => {
    const signedIn = await send('/login', new URLSearchParams({ token: world.adminToken }));
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const large = new URLSearchParams({ reason: 'x'.repeat(100_000) });
    expect((await send(path, large)).status).toBe(413);
    expect((await send(path, large, { cookie })).status).not.toBe(413);
  });

  it('refuse a NUL in a form', async () => {
    const type = 'application/x-www-form-urlencoded';
    expect(await statusOf('POST', '/login', 'token=a%00b', type)).toBe(400);
  });
});
