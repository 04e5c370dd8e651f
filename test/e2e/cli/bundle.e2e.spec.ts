import { isAscii } from 'node:buffer';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { z } from 'zod';
import { MIGRATIONS } from '../../../src/persistence/migrations/index.js';
import { runProgram, type ProgramEnd } from '../../support/e2e-program.js';
import { createTestDatabase } from '../../support/postgres.js';
import { runDirectory } from '../../support/run-directory.js';

const BUNDLE = fileURLToPath(new URL('../../../dist/bundle/main.mjs', import.meta.url));

/** Prints at the end how many files were loaded as modules, and how many parts of the HTTP client behind `fetch`. */
const COUNT_FILES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  let files = 0;
  registerHooks({ load: (url, context, next) => { if (url.startsWith('file:')) files += 1; return next(url, context); } });
  process.on('exit', () => {
    const client = process.moduleLoadList.filter((name) => name.includes('undici'));
    process.stderr.write('fetch ' + client.length + ', loaded ' + files);
  });
`)}`;

let db: pg.Client;
let run: (command: string, env?: Readonly<Record<string, string>>) => Promise<ProgramEnd>;
beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = new pg.Client({ connectionString: url });
  await db.connect();
  const cwd = await mkdtemp(join(runDirectory(), 'bundle-'));
  run = (command, env = {}) => runProgram([command], { cwd, env: { DATABASE_URL: url, ...env } });
});
afterAll(() => db.end());

describe('the bundled program', () => {
  it('is what the build leaves', () => {
    expect(existsSync(BUNDLE)).toBe(true);
  });

  it('is in ASCII, because V8 keeps any other text in two bytes for each character', async () => {
    const folder = dirname(BUNDLE);
    const files = (await readdir(folder)).filter((file) => file.endsWith('.mjs'));
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file))));
    expect(files.filter((_file, index) => !isAscii(texts[index] ?? Buffer.alloc(0)))).toEqual([]);
  });

  it('stores migrations under the names that they have in the sources', async () => {
    expect(await run('migrate')).toMatchObject({ status: 0, stderr: '' });
    const { rows } = await db.query('SELECT name FROM migrations');
    const stored = z.array(z.object({ name: z.string() })).parse(rows);
    expect(stored.map(({ name }) => name).sort()).toEqual(MIGRATIONS.map(({ name }) => name).sort());
  });

  it('loads at most 150 files for a command that reads the database, and not the client behind fetch', async () => {
    const { status, stderr } = await run('runs', { NODE_OPTIONS: `--import=${COUNT_FILES}` });
    const loaded = Number(/loaded (\d+)$/.exec(stderr)?.[1]);
    expect(status).toBe(0);
    expect(loaded).toBeGreaterThan(1);
    expect(loaded).toBeLessThanOrEqual(150);
    expect(stderr).toContain('fetch 0,');
  });

  it('names the sources in a stack when Node is asked to', async () => {
    const { stderr } = await run('status', {
      LOG_LEVEL: 'debug',
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      NODE_OPTIONS: '--enable-source-maps',
    });
    expect(stderr).toMatch(/at openDataSource \(.*\/src\/persistence\/data-source\.ts:\d+:\d+\)/);
  });
});
