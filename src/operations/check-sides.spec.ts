import { describe, expect, it } from '@jest/globals';
import { CodedError } from '../domain/errors.js';
import { workspaceSchema } from '../config/workspace-schema.js';
import { checkConnections, publicUrlAnswer, type Finding } from './check.js';
import { Connections } from '../connections/connections.js';
import { FakeCatalog, refusal } from '../../test/support/fake-catalog.js';
import { localServers } from '../../test/support/local-servers.js';
import { ownPort } from '../../test/support/ports.js';

const serve = localServers();

/** A proxy that passes webhooks alone, to a program that answers them so. */
async function listening(status: number, body = 'x', headers: Record<string, string> = {}): Promise<string> {
  const url = await serve((request, response) => {
    const isPassed = request.method === 'POST' && request.url?.startsWith('/base/webhooks/catalog/');
    response.writeHead(isPassed ? status : 403, headers).end(isPassed ? body : 'x');
  });
  return `${url}/base/`;
}

const daemon = (): Promise<string> => listening(404, JSON.stringify({ message: 'no such workspace' }));

describe('the public URL', () => {
  it('is well when the daemon takes deliveries there, also where a proxy passes nothing else', async () => {
    expect(await publicUrlAnswer(await daemon())).toMatchObject({ level: 'ok' });
  });

  it.each([[200], [404], [502]])('is doubted when %i answers there', async (status) => {
    const finding = await publicUrlAnswer(await listening(status));
    expect(finding).toMatchObject({ level: 'warn', detail: expect.stringContaining(String(status)) });
  });

  it('is not followed to wherever it redirects', async () => {
    const finding = await publicUrlAnswer(await listening(302, 'x', { location: await daemon() }));
    expect(finding).toMatchObject({ level: 'warn', detail: expect.stringContaining('302') });
  });

  it('that nobody answers is no failure: the daemon may be stopped', async () => {
    const finding = await publicUrlAnswer(`http://127.0.0.1:${String(await ownPort())}/base/`);
    expect(finding).toMatchObject({ level: 'warn', detail: expect.stringContaining('may be stopped') });
    expect(finding.detail).toContain('ECONNREFUSED');
  });

  it('has to be https unless it is of this machine', async () => {
    expect(await publicUrlAnswer('http://sync.example.com')).toMatchObject({ level: 'FAIL' });
  });
});

describe('the catalog login', () => {
  async function login(status: number, auth: object = { apiToken: 'token' }): Promise<Finding | undefined> {
    const client = new FakeCatalog();
    client.script.before('listProducts', refusal('auth', { status }));
    const settings = workspaceSchema.parse({ baseUrl: 'https://catalog.example.com/api/v1', auth });
    const connections = new Connections([{ key: 'default', settings, client }], []);
    const findings = await checkConnections(connections, () =>
      Promise.resolve({ state: 'ours', detail: '' }),
    );
    return findings.find(({ what }) => what.endsWith('catalog login'));
  }

  it('that is refused with 401 is about the token', async () => {
    const finding = await login(401);
    expect(finding).toMatchObject({ level: 'FAIL', detail: expect.stringContaining('wrong or revoked') });
    expect(finding?.detail).toContain('workspaces.default.auth');
  });

  it('that is refused has one sign between the answer of the service and the way out', async () => {
    const client = new FakeCatalog();
    const refused = new CodedError('auth', 'The token is not valid.', { status: 401 });
    client.script.before('listProducts', () => Promise.reject(refused));
    const settings = workspaceSchema.parse({
      baseUrl: 'https://catalog.example.com/api/v1',
      auth: { apiToken: 't' },
    });
    const look = { state: 'unknown', detail: 'the slot cannot be read: The token is not valid.' } as const;
    const connections = new Connections([{ key: 'default', settings, client }], []);
    const details = (await checkConnections(connections, () => Promise.resolve(look))).map(
      ({ detail }) => detail,
    );
    expect(details).toEqual([
      expect.stringContaining(': The token is not valid: the token is missing'),
      'the slot cannot be read: The token is not valid: results arrive by polling',
    ]);
  });

  it('that is refused with 403 is about permission and subscription, and a login may help', async () => {
    const finding = await login(403);
    expect(finding).toMatchObject({ level: 'FAIL', detail: expect.stringContaining('subscription') });
    expect(finding?.detail).toContain('add a login');
    const both = await login(403, { apiToken: 'token', email: 'a@example.com', password: 'secret' });
    expect(both?.detail).not.toContain('add a login');
  });
});
