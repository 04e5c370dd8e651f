import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { startCatalogSandbox, type RunningCatalogSandbox } from '../../src/sandbox/catalog/index.js';
import { readingsOfTexts } from '../../src/sandbox/catalog/readings.js';
import { createSandboxPlace, createTestDatabase } from '../support/postgres.js';

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const SANDBOX = path('dist/cli/demo/sandbox-program.js');
const CONTRACT = path('test/contract/run.mjs');
const EMAIL = 'merchant@example.com';
const PASSWORD = 'correct horse battery staple';

/** Most readings that differ from the sandbox's own choices. */
const OTHER_READINGS = [
  'postMatchesVariants=false',
  'matchOrder=asin,mpn,sku,barcode,external_id',
  'patchVariants=replace',
  'patchObjects=merge',
  'patchLocale=ignored',
  'variantsPath=read-only',
  'clearing=null',
  'missingLocale=not-found',
];
/** A service that shows no tasks, deletes nothing and clears by empty values. */
const CLOSED_READINGS = ['tasks=unnamed', 'deletion=absent', 'clearing=ignored-null', 'missingLocale=empty'];

interface Service {
  readonly url: string;
  readonly options: readonly string[];
  stop(): Promise<void>;
}

/** The sandbox as a process of its own, of which the suite gets the URL and the credentials alone. */
async function startProcess(): Promise<Service> {
  const database = await createTestDatabase();
  const operated = await startCatalogSandbox({ databaseUrl: database.url });
  const options = await accounts(operated);
  await operated.stop();
  const child = spawn(process.execPath, [SANDBOX, '--port', '0', '--database-url', database.url]);
  const printed: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line.split(/ {2,}/)[1] ?? '');
    if (printed.length === 2) break;
  }
  const [url = '', token = ''] = printed;
  return {
    url,
    options: ['--token', token, ...options],
    stop: async () => {
      child.kill();
      await once(child, 'exit');
      await database.drop();
    },
  };
}

/** The sandbox with these readings in this process: the suite learns no more of it than of any other service. */
async function startHere(readings: readonly string[]): Promise<Service> {
  const sandbox = await startCatalogSandbox({
    ...(await createSandboxPlace()),
    readings: readingsOfTexts(readings),
  });
  const { token } = await sandbox.issueApiToken('all');
  return {
    url: sandbox.baseUrl,
    options: ['--token', token, ...(await accounts(sandbox))],
    stop: () => sandbox.stop(),
  };
}

/** Makes a user and a token that lacks a permission; answers the suite's options for them. */
async function accounts(sandbox: RunningCatalogSandbox): Promise<readonly string[]> {
  await sandbox.createUser(EMAIL, PASSWORD);
  const narrow = await sandbox.issueApiToken('narrow', { scopes: ['products'] });
  return ['--email', EMAIL, '--password', PASSWORD, '--narrow-token', narrow.token];
}

/** Runs the contract suite against the service and stops it; answers the suite's exit status and what it printed. */
async function runSuite(
  service: Service,
  options: readonly string[],
): Promise<{ status: number; printed: string }> {
  try {
    const suite = spawn(process.execPath, [CONTRACT, '--url', service.url, ...service.options, ...options]);
    const [stdout, stderr, [status]] = await Promise.all([
      text(suite.stdout),
      text(suite.stderr),
      once(suite, 'exit') as Promise<[number]>,
    ]);
    return { status, printed: stdout + stderr };
  } finally {
    await service.stop();
  }
}

/** Rules of generation, deliveries and their settings, and of signing in. A run without generation holds all others to the service. */
const NOTIFIED = '^(AUTH|LOGIN|REFRESH|GEN|TASK|HOOK|SETTINGS|EVENT|BODY|SIGN|DELIVERY)';
/** Rules that wait for silences and retries, which do not depend on what a service leaves open. */
const WAITED_FOR = 'EVENT-0[46]|DELIVERY-(?!01)';

// Each suite waits for silences and retries in real time, so all of them run at once.
describe('the contract suite, by URL and credentials alone', () => {
  it.concurrent('proves the sandbox in a process of its own, deliveries and retries included', async () => {
    const { status, printed } = await runSuite(await startProcess(), ['--only', NOTIFIED]);
    expect({ status, failed: printed.match(/✕ .*/g) }).toEqual({ status: 0, failed: null });
    expect(printed).toContain('0 tests of what the interface leaves open found another reading');
    // Only what needs the sandbox's clock, database or operator is skipped.
    expect(printed.match(/○ .*/g)?.filter((line) => !line.includes('only a sandbox'))).toEqual([]);
    for (const rule of ['SETTINGS-03', 'EVENT-04', 'DELIVERY-08', 'BODY-05', 'SIGN-02'])
      expect(printed).toMatch(new RegExp(`✓ \\[${rule}\\]`));
  });

  it.concurrent(
    'passes a service that reads otherwise what the interface leaves open, and names the differences',
    async () => {
      const { status, printed } = await runSuite(await startHere(OTHER_READINGS), ['--no-generation']);
      expect({ status, failed: printed.match(/✕ .*/g) }).toEqual({ status: 0, failed: null });
      const [, report = ''] = printed.split('found another reading:');
      for (const rule of ['PATCH-07', 'PUT-06', 'CREATE-13', 'PATCH-06', 'VAR-03'])
        expect(report).toContain(`[${rule}]`);
    },
  );

  it.concurrent(
    'passes a service that shows no tasks and deletes nothing, and names what it leaves behind',
    async () => {
      const { status, printed } = await runSuite(await startHere(CLOSED_READINGS), [
        '--only',
        `^(?!${WAITED_FOR})`,
      ]);
      expect({ status, failed: printed.match(/✕ .*/g) }).toEqual({ status: 0, failed: null });
      expect(printed).toContain('skipped: GET /background-tasks/ answered 404');
      expect(printed).toContain('Left behind: products that could not be deleted');
      expect(printed).toMatch(/✓ \[DELIVERY-01\]/);
    },
  );

  it.concurrent.each([
    { what: 'without a token', options: [], problem: '--token is missing' },
    {
      what: 'that is not there',
      options: ['--token', 'x'],
      problem: 'http://127.0.0.1:1/api/v1 does not answer',
    },
  ])('refuses to run against a service $what', async ({ options, problem }) => {
    const suite = spawn(process.execPath, [CONTRACT, '--url', 'http://127.0.0.1:1/api/v1', ...options]);
    const [[status], message] = await Promise.all([
      once(suite, 'exit') as Promise<[number]>,
      text(suite.stderr),
    ]);
    expect({ status, message }).toEqual({ status: 1, message: expect.stringContaining(problem) });
  });
});

it('the sandbox program lists its readings where one is not known', async () => {
  const program = spawn(process.execPath, [SANDBOX, '--reading', 'patchLocale=perhaps']);
  const [[status], message] = await Promise.all([
    once(program, 'exit') as Promise<[number]>,
    text(program.stderr),
  ]);
  expect(status).toBe(1);
  expect(message).toMatch(/patchLocale=perhaps is not known\. .*\npatchLocale: Do PUT and PATCH/s);
});
