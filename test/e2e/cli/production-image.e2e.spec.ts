import { cp, mkdir, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Program, runProgram, type ProgramEnd } from '../../support/e2e-program.js';
import { World } from '../../support/e2e-world.js';
import { runDirectory } from '../../support/run-directory.js';

const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url));
/** The Dockerfile's stage `production-files` removes these from `dist`. */
const LEFT_OUT = ['sandbox', 'cli/demo'];

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dev: z.boolean().optional(),
      optional: z.boolean().optional(),
      devOptional: z.boolean().optional(),
    }),
  ),
});

/** The files of the production image in a directory of their own; packages are links to those of the checkout. */
async function installProduction(): Promise<string> {
  const root = await mkdtemp(join(runDirectory(), 'production-'));
  for (const name of ['bin', 'config', 'package.json']) {
    await cp(join(CHECKOUT, name), join(root, name), { recursive: true });
  }
  const dist = join(CHECKOUT, 'dist');
  const left = new Set(LEFT_OUT.map((folder) => join(dist, folder)));
  await cp(dist, join(root, 'dist'), { recursive: true, filter: (source) => !left.has(source) });
  const lock = lockSchema.parse(JSON.parse(await readFile(join(CHECKOUT, 'package-lock.json'), 'utf8')));
  for (const [path, { dev, optional, devOptional }] of Object.entries(lock.packages)) {
    const isTopLevel = path.lastIndexOf('node_modules/') === 0;
    if (!isTopLevel || dev === true || optional === true || devOptional === true) continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    await symlink(join(CHECKOUT, path), join(root, path));
  }
  return root;
}

let world: World;
let program: string;
beforeAll(async () => {
  const [root, opened] = await Promise.all([installProduction(), World.open({ database: 'empty' })]);
  program = join(root, 'bin', 'store-sync.js');
  world = opened;
});
afterAll(async () => world.end());

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ProgramEnd> {
  return runProgram(args, { program, cwd: world.directory, env: { ...world.env, ...env } });
}

describe('an installation without optional packages and without the sandbox', () => {
  it('migrates and syncs a store', async () => {
    expect(await run(['migrate'])).toMatchObject({ status: 0, stderr: '' });
    expect(await run(['sync', '--store', 'main', '--json'])).toMatchObject({ status: 0 });
  });

  it('runs the daemon', async () => {
    const daemon = await Program.start(['start'], { program, cwd: world.directory, env: world.env });
    await daemon.line((line) => line.includes('store-sync is up'));
    const [docs, dashboard] = await Promise.all([fetch(`${world.url}/docs`), fetch(`${world.url}/login`)]);
    daemon.signal('SIGTERM');
    expect(await daemon.exit()).toBe(0);
    expect([docs.status, dashboard.status]).toEqual([200, 200]);
  });

  it('refuses the demo in one line that says where it runs', async () => {
    const { status, stderr } = await run(['demo']);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'store-sync: this installation has no demo: run it in a checkout, or in the image with --target full\n',
    });
  });

  it('refuses the embedded PostgreSQL in one line that says what to set', async () => {
    await world.configure({ database: { url: 'embedded' } });
    const { status, stderr } = await run(['migrate']);
    await world.configure({});
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^store-sync: the embedded PostgreSQL \(\S+\) is not installed: set DATABASE_URL, or use the image built with --target full\n$/,
    );
  });
});
