import { resolve } from 'node:path';
import { openEmbeddedPostgres } from '../../embedded-postgres/index.js';
import { processSurroundings, runSandboxProgram } from '../../sandbox/main.js';

/** The default directory of the sandbox's database, relative to the working directory. */
const DATA_DIR = 'data/sandbox';

// `npm run sandbox`: the sandbox alone, on an embedded PostgreSQL unless the caller names another.
const surroundings = processSurroundings();
process.exitCode = await runSandboxProgram(process.argv.slice(2), {
  ...surroundings,
  provideDatabase: () =>
    openEmbeddedPostgres({
      dataDir: resolve(DATA_DIR),
      log: (line) => {
        surroundings.logger.info(line);
      },
    }),
});
