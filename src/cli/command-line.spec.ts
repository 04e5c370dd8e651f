import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { writeBackQuerySchema } from '../operations/write-back-filter.js';
import { completionScript, SHELLS } from './completion-scripts.js';

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
  'completion',
];

describe('the command line', () => {
  it('offers every command, and the completion script knows them all', async () => {
    const [help, completion] = [await program('--help'), await program('completion')];
    expect(help.code).toBe(0);
    expect(completion).toMatchObject({ code: 0, stderr: '' });
    for (const command of COMMANDS) {
      expect(help.stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
      expect(completion.stdout).toMatch(new RegExp(`^ +${command}\\) `, 'm'));
    }
    expect(completion.stdout).toContain('actions="list show approve reject undo revert reapply"');
  }, 60_000);

  it('explains a command’s actions, ids and options', async () => {
    const { code, stdout } = await program('write-backs', '--help');
    expect(code).toBe(0);
    for (const text of ['approve ID', '--state <state>', '--config <file>', '--json'])
      expect(stdout).toContain(text);
    const [, filters = ''] = /--filter <name=value>([^]+?)--dry-run/.exec(stdout) ?? [];
    const ownOptions = ['store', 'run', 'limit', 'offset', 'order'];
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

describe('completion scripts', () => {
  const words = [
    {
      name: 'plan',
      description: "it's a dry run: nothing is written",
      options: ['--store', '--help'],
      actions: [],
    },
    { name: 'webhook', description: 'the slot', options: ['--force'], actions: ['show', 'register'] },
  ];

  it.each(SHELLS)('of %s hold every command, option and action', (shell) => {
    const script = completionScript(shell, 'store-sync', words);
    for (const word of ['plan', 'webhook', 'store', 'force', 'show', 'register'])
      expect(script).toContain(word);
  });

  it.each([
    ['store-sync pl', 1, ['plan']],
    ['store-sync webhook re', 2, ['register']],
    ['store-sync plan --st', 2, ['--store']],
    ['store-sync webhook show re', 3, []],
  ])('of bash completes "%s"', (line, at, expected) => {
    const typed = `COMP_WORDS=(${line}); COMP_CWORD=${at}; _store_sync; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync(
      'bash',
      ['-c', `${completionScript('bash', 'store-sync', words)}\n${typed}`],
      {
        encoding: 'utf8',
      },
    );
    expect(stderr).toBe('');
    expect(stdout.split('\n').filter((word) => word !== '')).toEqual(expected);
  });
});
