import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { buildProgram } from './cli/program.js';
import { reportError } from './cli/report.js';

// The reader of a pipe may end early, as `head` does. The command goes on, and closes what it has opened.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

try {
  const words = new Set(process.argv.slice(2));
  const program = await buildProgram(ownVersion(), (name) => words.has(name));
  await program.parseAsync();
} catch (error) {
  // Help and version end this way too, with status 0. Commander has already printed what there is to say.
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
  if (!(error instanceof CommanderError)) reportError(error);
}

/** The version in package.json, whose path is the same from `src` and from `dist`. */
function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  if (known && typeof manifest.version === 'string') return manifest.version;
  throw new Error('package.json names no version');
}
