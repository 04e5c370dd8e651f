import { execFileSync, spawn } from 'node:child_process';
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

describe('a pipe as a configuration file', () => {
  it('is given up when nobody writes to it', () => {
    expect(readTextFile(pipe('nobody'), SILENT_MS)).toMatchObject({ ok: false, code: 'ETIMEDOUT' });
  });

  it('is given up when its writer sends nothing more', async () => {
    const path = pipe('silent');
    const writer = spawn('sh', ['-c', 'exec 3>"$0"; printf server: >&3; exec sleep 60', path]);
    try {
      expect(readTextFile(path, 2_000)).toMatchObject({ ok: false, code: 'ETIMEDOUT' });
    } finally {
      writer.kill();
      await new Promise((resolve) => writer.once('exit', resolve));
    }
  }, 20_000);

  it('is read to its end, however slowly it comes', async () => {
    const path = pipe('slow');
    const writer = spawn('sh', [
      '-c',
      'exec 3>"$0"; for each in a b c; do printf "$each" >&3; sleep 0.3; done',
      path,
    ]);
    expect(readTextFile(path, 10_000)).toEqual({ ok: true, text: 'abc' });
    await new Promise((resolve) => writer.once('exit', resolve));
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
    const writer = spawn('sh', ['-c', 'exec 3>"$0"; printf server: >&3; exec sleep 60', replaced]);
    try {
      const began = performance.now();
      expect(() => readAgain()).toThrow('cannot be read (ETIMEDOUT)');
      expect(performance.now() - began).toBeLessThan(2_000);
    } finally {
      writer.kill();
      await new Promise((resolve) => writer.once('exit', resolve));
    }
  });
});

it('an empty file is empty at once', () => {
  const path = join(directory, 'empty');
  writeFileSync(path, '');
  expect(readTextFile(path)).toEqual({ ok: true, text: '' });
});
