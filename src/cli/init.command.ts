import { randomBytes } from 'node:crypto';
import { dirname, join, parse, relative, resolve } from 'node:path';
import { environment, loadConfig } from '../config/index.js';
import { CodedError } from '../domain/errors.js';
import { StoreSyncCommand } from './command.js';
import type { CommonOptions } from './options.js';
import { completeAnswers } from './init/conversation.js';
import { assertFree, earlierSecret, writeFiles, type Destination } from './init/files.js';
import { PROBES } from './init/probes.js';
import { personAt } from './init/terminal-person.js';
import {
  composeConfiguration,
  FIRST_GENERATIONS,
  writtenConfiguration,
} from './init/written-configuration.js';
import { givenAnswers, givenSecrets, INPUT_OPTIONS, isWooCommerce } from './init/answers.js';
import { print } from './output.js';
import { harmless, paintState, printable } from './terminal.js';

/** Every command finds it in the working directory without `--config`. */
const DEFAULT_OUT = 'store-sync.yaml';
const STORE_KEY = /^[a-z0-9][a-z0-9_-]{0,62}$/i;
const SECRET_BYTES = 32;
/** The user of the image (Dockerfile). */
const CONTAINER_USER = 1000;

/** Besides those of `INPUT_OPTIONS`. */
interface InitOptions extends CommonOptions {
  readonly out?: string;
  readonly store: string;
  readonly compose?: boolean;
  readonly force?: boolean;
}

export class InitCommand extends StoreSyncCommand<InitOptions> {
  override readonly options = [
    {
      flags: '--out <file>',
      description:
        'the configuration file to write, by default that of --config or store-sync.yaml; secrets go to a directory beside it, such as store-sync.secrets',
    },
    { flags: '--store <key>', description: 'key of the store in the configuration', defaultValue: 'main' },
    ...INPUT_OPTIONS,
    {
      flags: '--compose',
      description: 'writes what compose.yaml needs: the configuration, and all secrets in ./secrets',
    },
    { flags: '--force', description: 'replaces files that exist; secrets of its own making stay' },
  ];

  protected async execute(options: InitOptions): Promise<number> {
    if (!STORE_KEY.test(options.store))
      throw new CodedError(
        'invalid',
        '--store: a key begins with a letter or a digit, and has letters, digits, - and _ (63 at most)',
      );
    const configFile = resolve(options.out ?? options.config ?? DEFAULT_OUT);
    const isForCompose = options.compose === true;
    const secretsName = isForCompose ? 'secrets' : `${parse(configFile).name}.secrets`;
    const secretsDir = join(dirname(configFile), secretsName);
    const destination: Destination = {
      configFile,
      secretsDir,
      force: options.force === true,
      ...(isForCompose && { container: CONTAINER_USER }),
    };
    assertFree(destination);
    // A database, a browser or the catalog service may have the earlier one by now.
    const ownSecret = async (name: string): Promise<string> =>
      (await earlierSecret(join(secretsDir, isForCompose ? name.toLowerCase() : name))) ?? newSecret();
    const answers = await completeAnswers(givenAnswers(options.store, options, environment()), {
      probes: PROBES,
      person: process.stdin.isTTY ? personAt({ input: process.stdin, output: process.stderr }) : null,
      say: (line) => process.stderr.write(`${harmless(line)}\n`),
      show: ({ level, what, detail }) =>
        process.stderr.write(`${paintState(level, 4)}  ${what}: ${printable(detail, 400)}\n`),
    });
    const generated = {
      ADMIN_TOKEN: await ownSecret('ADMIN_TOKEN'),
      CATALOG_WEBHOOK_SECRET: await ownSecret('CATALOG_WEBHOOK_SECRET'),
      ...(isWooCommerce(answers) && {
        WOOCOMMERCE_WEBHOOK_SECRET: await ownSecret('WOOCOMMERCE_WEBHOOK_SECRET'),
      }),
    };
    const written = isForCompose
      ? composeConfiguration(answers, generated, await ownSecret('POSTGRES_PASSWORD'))
      : writtenConfiguration(answers, `./${secretsName}`, generated);
    const paths = await writeFiles(written, destination);
    // Proves that the next command can use the file.
    loadConfig({ configFile, env: isForCompose ? { ...givenSecrets(answers), ...generated } : {} });
    for (const path of paths) print(`wrote ${shown(path)}`);
    const config = shown(configFile);
    print('');
    print(
      `Texts wait for your review, and a run requests at most ${String(FIRST_GENERATIONS)} generations (writeBack.mode, generation.maxPerRun).`,
    );
    const tokenFile = isForCompose ? 'admin_token' : 'ADMIN_TOKEN';
    print(`The dashboard takes the token in ${shown(join(secretsDir, tokenFile))}.`);
    if (isForCompose) {
      const uid = process.getuid?.();
      if (uid !== 0 && uid !== CONTAINER_USER)
        print(
          `The container reads the files as user ${String(CONTAINER_USER)}: sudo chown -R ${String(CONTAINER_USER)} ${shown(secretsDir)} ${shown(configFile)}`,
        );
      print('Next, start it and see what a sync would do:');
      print('  docker compose up -d');
      print('  docker compose exec store-sync node bin/store-sync.js plan');
      return 0;
    }
    print('Next, see what a sync would do, then start the daemon:');
    const { npm_command: npmCommand, STORE_SYNC_CONFIG: inEnvironment = '' } = environment();
    const program = npmCommand === 'exec' ? 'npx store-sync' : 'store-sync';
    const named = config === DEFAULT_OUT && inEnvironment === '' ? '' : ` --config ${config}`;
    for (const command of ['plan', 'start']) print(`  ${program} ${command}${named}`);
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
