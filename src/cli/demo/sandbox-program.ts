import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { errorLine } from '../../domain/errors.js';
import { openEmbeddedPostgres } from '../../embedded-postgres/index.js';
import { startCatalogSandbox } from '../../sandbox/catalog/index.js';
import { type CatalogReadings, READINGS, readingsOfTexts } from '../../sandbox/catalog/readings.js';
import { portOf } from './port-option.js';

// `npm run sandbox`: the catalog sandbox alone, on an embedded PostgreSQL unless the caller names another.

/** The default directory of the sandbox's database, relative to the working directory. */
const DATA_DIR = 'data/sandbox';
const OWNER_ONLY = 0o600;

interface Options {
  readonly databaseUrl?: string;
  readonly host?: string;
  readonly port: number;
  readonly tokenFile?: string;
  readonly reading?: CatalogReadings;
}

const program = new Command('npm run sandbox --')
  .description(
    'The catalog sandbox: a service to try things out against. Answers until it is stopped; prints its base URL and a new API token.',
  )
  .addOption(new Option('--database-url <url>', 'PostgreSQL in place of an embedded one').env('DATABASE_URL'))
  .option('--host <host>', 'default 127.0.0.1')
  .option('--port <port>', 'where it listens', portOf, 4010)
  .option('--token-file <file>', 'writes the API token to a file of the owner, in place of the terminal')
  .option('--reading <name=value...>', 'another reading of what the interface leaves open', reading())
  .parse();
const { databaseUrl = '', tokenFile, reading: readings, ...place } = program.opts<Options>();
const stopped = stopSignal();
const embedded =
  databaseUrl === '' ? await openEmbeddedPostgres({ dataDir: resolve(DATA_DIR), log: say }) : null;
try {
  const sandbox = await startCatalogSandbox({
    ...place,
    databaseUrl: embedded?.url ?? databaseUrl,
    readings,
    logger: { info: say, error: (message, error) => say(`${message}: ${errorLine(error)}`) },
  });
  try {
    const { id, token } = await sandbox.issueApiToken('printed at start');
    if (tokenFile !== undefined) writeFileSync(tokenFile, `${token}\n`, { mode: OWNER_ONLY });
    print(`base URL   ${sandbox.baseUrl}`);
    print(`API token  ${tokenFile === undefined ? token : `in ${tokenFile}`}   (id ${id}, shown once)`);
    await stopped;
  } finally {
    await sandbox.stop();
  }
} catch (error) {
  say(`The sandbox could not go on: ${errorLine(error)}`);
  process.exitCode = 1;
} finally {
  await embedded?.release();
}

/** Reads one value after the other; the last answer has all of them. */
function reading(): (text: string) => CatalogReadings {
  const texts: string[] = [];
  return (text) => {
    texts.push(text);
    try {
      return readingsOfTexts(texts);
    } catch {
      const names = Object.entries(READINGS.shape).map(
        ([name, { description = '' }]) => `${name}: ${description}`,
      );
      throw new InvalidArgumentError(`${text} is not known. Readings:\n${names.join('\n')}`);
    }
  };
}

function stopSignal(): Promise<void> {
  return new Promise((stop) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop());
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
