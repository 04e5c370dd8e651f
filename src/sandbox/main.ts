import { writeFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { isScope, SCOPES, type Scope } from './catalog/auth/scopes.js';
import { startCatalogSandbox } from './catalog/index.js';
import { Accounts } from './catalog/auth/accounts.js';
import { SandboxDatabase } from './catalog/database.js';
import type { SandboxLogger } from './catalog/logger.js';
import { READINGS, readingsOfTexts } from './catalog/readings.js';
import { DEFAULT_SCHEMA } from './catalog/settings.js';

const DEFAULT_PORT = 4010;
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

interface DatabaseOptions {
  readonly databaseUrl?: string;
  readonly schema?: string;
}

interface ServeOptions {
  readonly host?: string;
  readonly port: number;
  readonly tokenFile?: string;
  readonly reading?: readonly string[];
}

/** Runs one command; resolves with the exit status. */
export async function runSandboxProgram(args: string[], surroundings: ProgramSurroundings): Promise<number> {
  const { logger } = surroundings;
  try {
    await programOf(surroundings).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // It has said by itself what is wrong.
    if (error instanceof CommanderError) return error.exitCode;
    if (error instanceof UsageError) logger.error(error.message);
    else logger.error('The sandbox could not go on', error);
    return 1;
  }
}

function programOf(surroundings: ProgramSurroundings): Command {
  const { env, print, logger } = surroundings;
  const program = new Command('npm run sandbox --')
    .description('The catalog sandbox: a service to try things out against.')
    .option('--database-url <url>', 'PostgreSQL; default DATABASE_URL')
    .option('--schema <name>', 'default sandbox_catalog')
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: (text) => logger.error(text.trimEnd()) });
  const scopes = ['--scopes <list>', `of ${SCOPES.join(',')}; default all`, scopesOf, SCOPES] as const;
  const operate = (work: (accounts: Accounts) => Promise<void>): Promise<void> =>
    withDatabase(program.opts(), surroundings, async ({ databaseUrl, schema = DEFAULT_SCHEMA }) => {
      const database = await SandboxDatabase.open(databaseUrl, schema, logger);
      await work(new Accounts(database, () => new Date())).finally(() => database.close());
    });

  const serving = program
    .command('serve', { isDefault: true })
    .description('answers until it is stopped; prints its base URL and a new API token')
    .option('--host <host>', 'default 127.0.0.1')
    .option('--port <port>', 'where it listens', portOf, DEFAULT_PORT)
    .option('--token-file <file>', 'writes the API token to a file of the owner, in place of the terminal')
    .option('--reading <name=value...>', 'another reading of what the interface leaves open')
    .action((options: ServeOptions) =>
      withDatabase(program.opts(), surroundings, (database) => serve(options, database, surroundings)),
    );
  program.addHelpText('after', () => `\n${serving.helpInformation()}`);

  program
    .command('token')
    .description('API tokens')
    .command('issue <name>')
    .description('prints a new API token, once')
    .option(...scopes)
    .action((name: string, options: { readonly scopes: readonly Scope[] }) =>
      operate(async (accounts) => {
        const issued = await accounts.issueApiToken(name, options.scopes);
        print(`${issued.token}   (id ${issued.id}, shown once)`);
      }),
    );
  program
    .command('user')
    .description('users who log in')
    .command('create <email>')
    .description('the password comes from SANDBOX_PASSWORD')
    .option(...scopes)
    .action((email: string, options: { readonly scopes: readonly Scope[] }) =>
      operate(async (accounts) => {
        const password = env['SANDBOX_PASSWORD'] ?? '';
        if (password === '') throw new UsageError('SANDBOX_PASSWORD is missing');
        await accounts.createUser(email, password, options.scopes);
        print(`created ${email}`);
      }),
    );
  return program;
}

/** Works on the database that was named, or else on the one that the surroundings provide. */
async function withDatabase(
  { databaseUrl, schema }: DatabaseOptions,
  { env, provideDatabase }: ProgramSurroundings,
  work: (database: { readonly databaseUrl: string; readonly schema?: string }) => Promise<void>,
): Promise<void> {
  const place = schema === undefined ? {} : { schema };
  const named = databaseUrl ?? env['DATABASE_URL'] ?? '';
  if (named !== '') return work({ databaseUrl: named, ...place });
  if (provideDatabase === undefined)
    throw new UsageError('Name a PostgreSQL database: --database-url or DATABASE_URL');
  const provided = await provideDatabase();
  await work({ databaseUrl: provided.url, ...place }).finally(() => provided.release());
}

async function serve(
  { reading = [], tokenFile, ...options }: ServeOptions,
  database: { readonly databaseUrl: string; readonly schema?: string },
  { print, logger, stopRequested }: ProgramSurroundings,
): Promise<void> {
  const readings = readingsOf(reading);
  const stopped = stopRequested();
  const sandbox = await startCatalogSandbox({ ...database, ...options, logger, readings });
  const { id, token } = await sandbox.issueApiToken('printed at start');
  print(`base URL   ${sandbox.baseUrl}`);
  if (tokenFile !== undefined) writeFileSync(tokenFile, `${token}\n`, { mode: OWNER_ONLY });
  print(`API token  ${tokenFile === undefined ? token : `in ${tokenFile}`}   (id ${id}, shown once)`);
  await stopped;
  await sandbox.stop();
}

function readingsOf(texts: readonly string[]): ReturnType<typeof readingsOfTexts> {
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

function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError(`${JSON.stringify(text)} is not a port`);
  return Number(text);
}

function scopesOf(text: string): readonly Scope[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !isScope(name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`${JSON.stringify(unknown)} is not a scope (${SCOPES.join(', ')})`);
  return names.filter(isScope);
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
