import { randomBytes } from 'node:crypto';
import { dirname, join, parse, relative, resolve } from 'node:path';
import { environment, loadConfig } from '../config/index.js';
import { CodedError } from '../domain/errors.js';
import { StoreSyncCommand, type CommonOptions } from './command.js';
import { givenAnswers, type InitOptions } from './init/flags.js';
import { completeAnswers } from './init/conversation.js';
import { assertFree, writeFiles, type Destination } from './init/files.js';
import { messages } from './init/messages.js';
import { PROBES } from './init/probes.js';
import { TERMINAL_PERSON } from './init/terminal-person.js';
import { FIRST_GENERATIONS, writtenConfiguration } from './init/written-configuration.js';
import { print } from './output.js';
import { paintState, printable } from './terminal.js';

const STORE_KEY = /^[a-z0-9][a-z0-9_-]{0,62}$/i;
const SECRET_BYTES = 32;

export class InitCommand extends StoreSyncCommand<InitOptions & CommonOptions> {
  protected async execute(options: InitOptions): Promise<number> {
    if (!STORE_KEY.test(options.store)) throw new CodedError('invalid', messages.storeKey);
    const configFile = resolve(options.out);
    const secretsName = `${parse(configFile).name}.secrets`;
    const secretsDir = join(dirname(configFile), secretsName);
    const destination: Destination = { configFile, secretsDir, force: options.force === true };
    assertFree(destination);
    const answers = await completeAnswers(givenAnswers(options, environment()), {
      probes: PROBES,
      person: process.stdin.isTTY ? TERMINAL_PERSON : null,
      say: (line) => process.stderr.write(`${line}\n`),
      show: ({ level, what, detail }) =>
        process.stderr.write(`${paintState(level, 4)}  ${what}: ${printable(detail, 400)}\n`),
    });
    const generated = { ADMIN_TOKEN: newSecret(), CATALOG_WEBHOOK_SECRET: newSecret() };
    const paths = await writeFiles(writtenConfiguration(answers, `./${secretsName}`, generated), destination);
    // Proves that the next command can use the file.
    loadConfig({ configFile, env: {} });
    for (const path of paths) print(messages.wrote(shown(path)));
    const config = shown(configFile);
    print('');
    print(messages.safeValues(FIRST_GENERATIONS));
    print(messages.signIn(shown(join(secretsDir, 'ADMIN_TOKEN'))));
    print(messages.next);
    const isByNpx = environment()['npm_command'] === 'exec';
    print(messages.command(isByNpx, `plan --store ${answers.store} --config ${config}`));
    print(messages.command(isByNpx, `start --config ${config}`));
    return 0;
  }
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}
