import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runSandboxProgram, type ProgramSurroundings } from '../../../src/sandbox/main.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

describe('the sandbox program', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(async () => {
    await database.drop();
  });

  async function run(args: string[], changes: Partial<ProgramSurroundings> = {}) {
    const lines: string[] = [];
    const errors: string[] = [];
    const status = await runSandboxProgram(args, {
      env: { DATABASE_URL: database.url, SANDBOX_PASSWORD: 'secret' },
      print: (line) => lines.push(line),
      logger: { info: () => undefined, error: (message) => errors.push(message) },
      stopRequested: () => Promise.resolve(),
      ...changes,
    });
    return { status, output: lines.join('\n'), errors: errors.join('\n') };
  }

  it('shows a new API token once', async () => {
    const issued = await run(['token', 'issue', 'nightly job', '--scopes', 'products,tasks']);
    expect(issued.output).toMatch(/^\S+ +\(id \d+, shown once\)$/);
  });

  it('serves until it is stopped, and prints its base URL and a token that works', async () => {
    let answered: number | undefined;
    const printed: string[] = [];
    const { status } = await run(['serve', '--port', '0'], {
      print: (line) => printed.push(line),
      stopRequested: async () => {
        while (printed.length < 2) await new Promise((resolve) => setImmediate(resolve));
        const [baseUrl = '', token = ''] = printed.map((line) => line.split(/ {2,}/)[1] ?? '');
        answered = (await fetch(`${baseUrl}/products/`, { headers: { authorization: `Bearer ${token}` } }))
          .status;
      },
    });
    expect({ status, answered }).toEqual({ status: 0, answered: 200 });
  });

  it('makes a user who can log in', async () => {
    expect(await run(['user', 'create', 'merchant@example.com'])).toMatchObject({ status: 0 });
    const withoutPassword = await run(['user', 'create', 'x@example.com'], {
      env: { DATABASE_URL: database.url },
    });
    expect(withoutPassword).toMatchObject({ status: 1, errors: 'SANDBOX_PASSWORD is missing' });
  });

  it('uses the database that is provided when none is named, and releases it', async () => {
    let released = 0;
    const provideDatabase = () =>
      Promise.resolve({
        url: database.url,
        release: () => {
          released++;
          return Promise.resolve();
        },
      });
    expect(await run(['token', 'issue', 'a'], { env: {}, provideDatabase })).toMatchObject({ status: 0 });
    expect(released).toBe(1);
    expect(await run(['token', 'issue', 'a'], { env: {} })).toMatchObject({
      status: 1,
      errors: 'Name a PostgreSQL database: --database-url or DATABASE_URL',
    });
  });

  it('refuses what it does not know in one line, with status 1', async () => {
    for (const args of [
      ['tokens'],
      ['--verbose'],
      ['serve', '--port', 'x'],
      ['serve', '--port', '0', '--reading', 'patchLocale=perhaps'],
      ['serve', '--port', '0', '--reading', 'matchOrder=sku'],
      ['token', 'issue', 'a', '--scopes', 'all'],
    ]) {
      const { status, errors } = await run(args);
      expect([args, status, errors.split('\n')[0]]).toEqual([args, 1, expect.stringMatching(/./)]);
    }
    expect((await run(['--help'])).output).toContain('npm run sandbox');
  });
});
