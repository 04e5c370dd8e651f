import { randomBytes } from 'node:crypto';
import { dirname, join, parse, relative, resolve } from 'node:path';
import { Command, Option } from 'nest-commander';
import { environment, loadConfig } from '../config/index.js';
import { CodedError } from '../domain/errors.js';
import { StoreSyncCommand, type CommonOptions } from './command.js';
import { givenAnswers, type InitOptions } from './init/flags.js';
import { completeAnswers } from './init/conversation.js';
import { assertFree, writeFiles, type Destination } from './init/files.js';
import { messages as initMessages } from './init/messages.js';
import { PROBES } from './init/probes.js';
import { TERMINAL_PERSON } from './init/terminal-person.js';
import { FIRST_GENERATIONS, writtenConfiguration } from './init/written-configuration.js';
import { messages } from './messages.js';
import { print } from './output.js';
import { paintState, printable } from './terminal.js';

const STORE_KEY = /^[a-z0-9][a-z0-9_-]{0,62}$/i;
const SECRET_BYTES = 32;

@Command({ name: 'init', description: messages.initDoes })
export class InitCommand extends StoreSyncCommand<InitOptions & CommonOptions> {
  @Option({ flags: '--out <file>', description: messages.initOut, defaultValue: 'store-sync.yaml' })
  parseOut(file: string): string {
    return file;
  }

  @Option({ flags: '--store <key>', description: messages.initStore, defaultValue: 'main' })
  parseStore(key: string): string {
    if (!STORE_KEY.test(key)) throw new CodedError('invalid', initMessages.storeKey);
    return key;
  }

  @Option({ flags: '--catalog-url <url>', description: initMessages.baseUrl })
  parseCatalogUrl(url: string): string {
    return url;
  }

  @Option({ flags: '--catalog-token-file <file>', description: messages.initSecret('CATALOG_API_TOKEN') })
  parseCatalogTokenFile(file: string): string {
    return file;
  }

  @Option({ flags: '--catalog-email <email>', description: initMessages.catalogEmail })
  parseCatalogEmail(email: string): string {
    return email;
  }

  @Option({ flags: '--catalog-password-file <file>', description: messages.initSecret('CATALOG_PASSWORD') })
  parseCatalogPasswordFile(file: string): string {
    return file;
  }

  @Option({ flags: '--locale <language>', description: initMessages.locale })
  parseLocale(language: string): string {
    return language;
  }

  @Option({ flags: '--shop <shop>', description: initMessages.shop })
  parseShop(shop: string): string {
    return shop;
  }

  @Option({ flags: '--endpoint <url>', description: messages.initEndpoint })
  parseEndpoint(url: string): string {
    return url;
  }

  @Option({ flags: '--client-id <id>', description: initMessages.clientId })
  parseClientId(id: string): string {
    return id;
  }

  @Option({ flags: '--client-secret-file <file>', description: messages.initSecret('SHOPIFY_CLIENT_SECRET') })
  parseClientSecretFile(file: string): string {
    return file;
  }

  @Option({ flags: '--access-token-file <file>', description: messages.initSecret('SHOPIFY_ACCESS_TOKEN') })
  parseAccessTokenFile(file: string): string {
    return file;
  }

  @Option({ flags: '--locales <languages>', description: initMessages.locales })
  parseLocales(languages: string): string {
    return languages;
  }

  @Option({ flags: '--public-url <url>', description: initMessages.publicUrl })
  parsePublicUrl(url: string): string {
    return url;
  }

  @Option({ flags: '--force', description: messages.initForce })
  parseForce(): boolean {
    return true;
  }

  protected async execute(options: InitOptions): Promise<number> {
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
    for (const path of paths) print(initMessages.wrote(shown(path)));
    const config = shown(configFile);
    print('');
    print(initMessages.safeValues(FIRST_GENERATIONS));
    print(initMessages.signIn(shown(join(secretsDir, 'ADMIN_TOKEN'))));
    print(initMessages.next);
    print(`  store-sync plan --store ${answers.store} --config ${config}`);
    print(`  store-sync start --config ${config}`);
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
