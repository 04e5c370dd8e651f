import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isScope, SCOPES, type Scope } from './catalog/auth/scopes.js';
import { startCatalogSandbox } from './catalog/index.js';
import { openCatalogOperator } from './catalog/operator.js';
import type { SandboxLogger } from './catalog/logger.js';
import { READINGS, readingsOfTexts, type CatalogReadings } from './catalog/readings.js';

const USAGE = `The catalog sandbox: a service to try things out against.

  npm run sandbox -- [serve]                     answers until it is stopped; prints its base URL and a new API token
  npm run sandbox -- token issue NAME            prints a new API token, once
  npm run sandbox -- token list
  npm run sandbox -- token revoke ID
  npm run sandbox -- user create EMAIL           the password comes from SANDBOX_PASSWORD

  --database-url URL   PostgreSQL; default DATABASE_URL
  --schema NAME        default sandbox_catalog
  --host HOST          serve: default 127.0.0.1
  --port PORT          serve: default 4010
  --token-file FILE    serve: writes the API token to a file of the owner, in place of the terminal
  --public-url URL     serve: the origin under which clients reach it
  --reading NAME=VALUE serve: another reading of what the interface leaves open; repeatable
  --scopes LIST        token issue, user create: of ${SCOPES.join(',')}; default all
`;

const DEFAULT_PORT = '4010';
const OWNER_ONLY = 0o600;

/** The caller can fix this error, so it is one line without a stack. */
class UsageError extends Error {}

export interface ProgramDatabase {
  readonly url: string;
  release(): Promise<void>;
}

/** The program's resources beside its database. */
export interface ProgramSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  readonly logger: SandboxLogger;
  /** Resolves when `serve` is to end. */
  readonly stopRequested: () => Promise<void>;
  /** A database for who names none; absent where there is no such thing. */
  readonly provideDatabase?: () => Promise<ProgramDatabase>;
}

interface Invocation {
  readonly words: readonly string[];
  readonly options: {
    readonly 'database-url'?: string | undefined;
    readonly schema?: string | undefined;
    readonly host?: string | undefined;
    readonly port?: string | undefined;
    readonly 'public-url'?: string | undefined;
    readonly 'token-file'?: string | undefined;
    readonly reading?: string[] | undefined;
    readonly scopes?: string | undefined;
    readonly help?: boolean | undefined;
  };
}

function readInvocation(args: string[]): Invocation {
  const text = { type: 'string' } as const;
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        'database-url': text,
        schema: text,
        host: text,
        port: text,
        'public-url': text,
        'token-file': text,
        reading: { type: 'string', multiple: true },
        scopes: text,
        help: { type: 'boolean', short: 'h' },
      },
    });
    return { words: positionals, options: values };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** The database that was named, or else the one that the surroundings provide. */
async function resolveDatabaseUrl(
  { options }: Invocation,
  { env, provideDatabase }: ProgramSurroundings,
): Promise<ProgramDatabase> {
  const named = options['database-url'] ?? env['DATABASE_URL'];
  if (named !== undefined && named !== '') return { url: named, release: () => Promise.resolve() };
  if (provideDatabase === undefined) {
    throw new UsageError('Name a PostgreSQL database: --database-url or DATABASE_URL');
  }
  return provideDatabase();
}

async function serve(
  invocation: Invocation,
  databaseUrl: string,
  surroundings: ProgramSurroundings,
): Promise<void> {
  const { options } = invocation;
  const { print, logger } = surroundings;
  const port = options.port ?? DEFAULT_PORT;
  if (!/^\d{1,5}$/.test(port)) throw new UsageError(`${JSON.stringify(port)} is not a port`);
  const readings = readingsOf(options.reading ?? []);
  const stopped = surroundings.stopRequested();
  const sandbox = await startCatalogSandbox({
    databaseUrl,
    port: Number(port),
    logger,
    readings,
    ...(options.schema === undefined ? {} : { schema: options.schema }),
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options['public-url'] === undefined ? {} : { publicUrl: options['public-url'] }),
  });
  const { id, token } = await sandbox.issueApiToken('printed at start', { scopes: scopesOf(invocation) });
  print(`base URL   ${sandbox.baseUrl}`);
  const file = options['token-file'];
  if (file !== undefined) writeFileSync(file, `${token}\n`, { mode: OWNER_ONLY });
  print(`API token  ${file === undefined ? token : `in ${file}`}   (id ${id}, shown once)`);
  await stopped;
  await sandbox.stop();
}

async function operate(
  invocation: Invocation,
  databaseUrl: string,
  surroundings: ProgramSurroundings,
): Promise<void> {
  const { options, words } = invocation;
  const { env, print, logger } = surroundings;
  const [noun = '', verb = '', subject = ''] = words;
  const operator = await openCatalogOperator({
    databaseUrl,
    logger,
    ...(options.schema === undefined ? {} : { schema: options.schema }),
  });
  try {
    switch (`${noun} ${verb}`) {
      case 'token issue': {
        const { id, token } = await operator.accounts.issueApiToken(
          required(subject, 'NAME'),
          scopesOf(invocation),
        );
        print(`${token}   (id ${id}, shown once)`);
        break;
      }
      case 'token list':
        for (const { id, name, scopes, createdAt, revokedAt } of await operator.accounts.listApiTokens()) {
          const state = revokedAt === null ? 'valid' : `revoked ${revokedAt.toISOString()}`;
          print([id, name, scopes.join(','), createdAt.toISOString(), state].join('\t'));
        }
        break;
      case 'token revoke':
        if (!/^\d{1,9}$/.test(subject) || !(await operator.accounts.revokeApiToken(Number(subject)))) {
          throw new UsageError(`No valid token has the id ${JSON.stringify(subject)}`);
        }
        print(`revoked ${subject}`);
        break;
      case 'user create': {
        const email = required(subject, 'EMAIL');
        await operator.accounts.createUser(
          email,
          required(env['SANDBOX_PASSWORD'] ?? '', 'SANDBOX_PASSWORD'),
          scopesOf(invocation),
        );
        print(`created ${email}`);
        break;
      }
      default:
        throw new UsageError(`Unknown command ${JSON.stringify(words.join(' '))}\n\n${USAGE}`);
    }
  } finally {
    await operator.close();
  }
}

function readingsOf(texts: readonly string[]): Partial<CatalogReadings> {
  try {
    return readingsOfTexts(texts);
  } catch (error) {
    const names = Object.entries(READINGS.shape).map(
      ([name, { description = '' }]) => `${name}: ${description}`,
    );
    throw new UsageError(`--reading ${texts.join(' ')} is not known. Readings:\n${names.join('\n')}`, {
      cause: error,
    });
  }
}

function scopesOf({ options }: Invocation): readonly Scope[] {
  if (options.scopes === undefined) return SCOPES;
  const names = options.scopes.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !isScope(name));
  if (unknown !== undefined)
    throw new UsageError(`${JSON.stringify(unknown)} is not a scope (${SCOPES.join(', ')})`);
  return names.filter(isScope);
}

function required(value: string, name: string): string {
  if (value === '') throw new UsageError(`${name} is missing`);
  return value;
}

/** Runs one command; resolves with the exit status. */
export async function runSandboxProgram(args: string[], surroundings: ProgramSurroundings): Promise<number> {
  const { logger, print } = surroundings;
  try {
    const invocation = readInvocation(args);
    if (invocation.options.help === true) {
      print(USAGE);
      return 0;
    }
    const database = await resolveDatabaseUrl(invocation, surroundings);
    try {
      const [command = 'serve'] = invocation.words;
      const run = command === 'serve' ? serve : operate;
      await run(invocation, database.url, surroundings);
    } finally {
      await database.release();
    }
    return 0;
  } catch (error) {
    if (error instanceof UsageError) logger.error(error.message);
    else logger.error('The sandbox could not go on', error);
    return 1;
  }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        resolve();
      });
    }
  });
}

/** The program's resources in its own process. */
export function processSurroundings(): ProgramSurroundings {
  return {
    env: process.env,
    print: (line) => {
      process.stdout.write(`${line}\n`);
    },
    logger: {
      info: (message) => {
        process.stderr.write(`${message}\n`);
      },
      error: (message, error) => {
        process.stderr.write(`${message}${error instanceof Error ? `: ${error.message}` : ''}\n`);
      },
    },
    stopRequested: stopSignal,
  };
}
