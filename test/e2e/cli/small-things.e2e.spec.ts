import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../../support/e2e-world.js';

const PROGRAM = fileURLToPath(new URL('../../../bin/store-sync.js', import.meta.url));

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.end());

describe('a reader that ends early', () => {
  it.each([['completion', 'bash'], ['runs', '--json'], ['status']])(
    'does not disturb a command: %s',
    async (...args) => {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        cwd: world.directory,
        env: { PATH: process.env['PATH'], ...world.env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.destroy();
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      await once(child, 'close');
      expect([child.exitCode, stderr]).toEqual([0, '']);
    },
  );
});

describe('a store that is not configured', () => {
  it.each([['write-backs'], ['deliveries'], ['runs'], ['products', 'list']])(
    'is an error with a suggestion: %s',
    async (...args) => {
      const end = await world.run([...args, '--store', 'mian']);
      expect(end.status).toBe(1);
      expect(end.stdout).toBe('');
      expect(end.stderr).toContain('no store "mian" is configured; did you mean main? (configured: main)');
    },
  );
});

describe('a working directory without a database', () => {
  it('gets a new one, and the path is named', async () => {
    const elsewhere = await mkdtemp(join(world.directory, 'elsewhere-'));
    const dataDir = join(elsewhere, 'data');
    await world.configure({ database: { url: 'embedded', dataDir } });
    const first = await world.run(['runs']);
    expect(first.stderr).toContain(`made a new, empty database in ${dataDir} (database.dataDir)`);
    expect(first.status).toBe(0);
    expect((await world.run(['runs'])).stderr).toBe('');
  });
});
