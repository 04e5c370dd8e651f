import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { writeBackQuerySchema } from '../operations/write-back-filter.js';

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

const COMMANDS = [
  'start',
  'demo',
  'check',
  'plan',
  'apply',
  'sync',
  'status',
  'deliveries',
  'products',
  'drift',
  'generate',
  'write-backs',
  'webhook',
  'migrate',
];

describe('the command line', () => {
  it('offers every command, in groups', async () => {
    const { code, stdout } = await program('--help');
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    const groups = [...stdout.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, group]) => group);
    expect(groups).toEqual(expect.arrayContaining(['Start here', 'Every day', 'Repair', 'Set up']));
  }, 60_000);

  it('explains a command’s actions, ids and options', async () => {
    const { code, stdout } = await program('write-backs', '--help');
    expect(code).toBe(0);
    for (const text of ['approve ID', '--state <state>', '--config <file>', '--json'])
      expect(stdout).toContain(text);
    const [, filters = ''] = /--filter <name=value>([^]+?)--dry-run/.exec(stdout) ?? [];
    const ownOptions = ['store', 'run', 'limit', 'offset', 'order', 'cursor'];
    const expected = Object.keys(writeBackQuerySchema.shape).filter((name) => !ownOptions.includes(name));
    const named = filters.replaceAll(/\s+/g, ' ').trim().split(/: |, /).slice(2);
    expect(named.toSorted()).toEqual(expected.toSorted());
  }, 60_000);

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
});
