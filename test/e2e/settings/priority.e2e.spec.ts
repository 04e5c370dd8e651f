import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Program } from '../../support/e2e-program.js';
import { ownPort } from '../../support/ports.js';
import { createMigratedDatabase } from '../../support/postgres.js';
import { runDirectory } from '../../support/run-directory.js';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = (await createMigratedDatabase()).url;
});

/** The priorities that threads of a process of these roles have: lower ones are higher numbers. */
async function prioritiesOf(roles: string): Promise<number[]> {
  const program = await Program.start(['start', '--roles', roles], {
    cwd: await mkdtemp(join(runDirectory(), 'priority-')),
    env: { DATABASE_URL: databaseUrl, PORT: String(await ownPort()) },
  });
  await program.said((line) => line.includes('store-sync is up'));
  const found = new Set<number>();
  for (const thread of await readdir(`/proc/${String(program.process.pid)}/task`)) {
    const stat = await readFile(`/proc/${String(program.process.pid)}/task/${thread}/stat`, 'utf8');
    // After the name in parentheses: the nineteenth field.
    found.add(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]));
  }
  program.signal('SIGTERM');
  await program.exit();
  return [...found];
}

const own = getPriority();

(process.platform === 'linux' ? describe : describe.skip)('the priority of a process', () => {
  it.each(['work', 'work,admin'])('is low in all of its threads when its roles are %s', async (roles) => {
    expect(await prioritiesOf(roles)).toEqual([Math.max(own, 5)]);
  });

  it.each(['receive', 'admin', 'receive,work,admin'])(
    'stays as it is when its roles are %s',
    async (roles) => {
      expect(await prioritiesOf(roles)).toEqual([own]);
    },
  );
});
