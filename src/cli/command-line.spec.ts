import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { z } from 'zod';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('../../test/support/typescript-loader.mjs', import.meta.url));
const failure = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });

/** Runs the program from its sources in its own process, to see how commander parses the arguments. */
async function program(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env['PATH'] ?? '', SHELL: '/bin/bash' };
  try {
    const words = ['--no-warnings', '--import', LOADER, MAIN, ...args];
    return { code: 0, ...(await promisify(execFile)(process.execPath, words, { env })) };
  } catch (error) {
    return failure.parse(error);
  }
}

it('passes options on wherever they stand among the words', async () => {
  const { code, stdout, stderr } = await program(
    'deliveries',
    '--json',
    'show',
    '--config',
    '/nowhere.yaml',
    'x',
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^store-sync: .*\/nowhere\.yaml.*\n$/);
}, 60_000);
