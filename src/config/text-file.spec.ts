import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from './load-config.js';
import { readTextFile } from './text-file.js';

const SILENT_MS = 400;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'text-file-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

function pipe(name: string): string {
  const path = join(directory, name);
  execFileSync('mkfifo', [path]);
  return path;
}

/** A writer of a pipe that has sent a text, and then sends nothing while `work` runs. */
async function withSilentWriter(path: string, work: () => void): Promise<void> {
  const script = 'exec 3<>"$0"; printf server: >&3; echo sent; exec sleep 60';
  const writer: ChildProcess = spawn('sh', ['-c', script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(writer.stdout!, 'data');
    work();
  } finally {
    writer.kill();
    await once(writer, 'exit');
  }
}

describe('a pipe as a configuration file', () => {
  it('is given up when nobody writes to it', () => {
    expect(readTextFile(pipe('nobody'), SILENT_MS)).toMatchObject({ ok: false, code: 'ETIMEDOUT' });
  });

  it('is given up when its writer sends nothing more', async () => {
    const path = pipe('silent');
    await withSilentWriter(path, () => {
      expect(readTextFile(path, SILENT_MS)).toMatchObject({ ok: false, code: 'ETIMEDOUT' });
    });
  });

  it('is read to its end, however slowly it comes', async () => {
    const path = pipe('slow');
    const writer = spawn('sh', [
      '-c',
      'exec 3>"$0"; for each in a b c; do printf "$each" >&3; sleep 0.1; done',
      path,
    ]);
    expect(readTextFile(path, 10_000)).toEqual({ ok: true, text: 'abc' });
    await once(writer, 'exit');
  });

  it.each(['the configuration', 'a secret'])('is not waited for by a reload: %s', async (what) => {
    const secret = join(directory, `${what} secret`);
    const file = join(directory, `${what}.yaml`);
    writeFileSync(file, 'server: { adminToken: "${ADMIN_TOKEN}" }');
    writeFileSync(secret, 'a token of thirty-two characters');
    const { readAgain } = loadConfig({ configFile: file, env: { ADMIN_TOKEN_FILE: secret } });
    expect(readAgain().config.server.adminToken).toBe('a token of thirty-two characters');
    const replaced = what === 'a secret' ? secret : file;
    rmSync(replaced);
    execFileSync('mkfifo', [replaced]);
    await withSilentWriter(replaced, () => {
      const began = performance.now();
      expect(() => readAgain()).toThrow('cannot be read (ETIMEDOUT)');
      expect(performance.now() - began).toBeLessThan(2_000);
    });
  });
});

it('an empty file is empty at once', () => {
  const path = join(directory, 'empty');
  writeFileSync(path, '');
  expect(readTextFile(path)).toEqual({ ok: true, text: '' });
});
