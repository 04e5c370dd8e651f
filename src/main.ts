import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { CommandFactory } from 'nest-commander';
import { z } from 'zod';
import { CliModule } from './cli/cli.module.js';
import { report } from './cli/command.js';

/** The same from `src` and from `dist`. */
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest));

// The reader of a pipe may end early, as `head` does. The command goes on, and closes what it has opened.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

await CommandFactory.run(await CliModule.for(process.argv[2]), {
  logger: false,
  cliName: 'store-sync',
  version,
  errorHandler: (error) => {
    // Help and version end this way too, with status 0; commander has printed what there is to say.
    const known = error as Error & { exitCode?: number; code?: string };
    process.exitCode = known.exitCode ?? 1;
    if (known.code?.startsWith('commander.') !== true) report(error);
  },
  serviceErrorHandler: (error) => {
    report(error);
    process.exitCode = 1;
  },
});
