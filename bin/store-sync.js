#!/usr/bin/env node
// Plain JavaScript that any Node can parse: it says what is missing before anything else can fail to load.
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { setFlagsFromString } from 'node:v8';

const OLDEST_NODE = 24;
const compiled = new URL('../dist/main.js', import.meta.url);
// The same program in few files, which load faster. The npm package has none (docs/decisions/0025-the-program-is-bundled.md).
const bundled = new URL('../dist/bundle/main.mjs', import.meta.url);

/** One line that says what to do, or null when the program can be started. */
function obstacle() {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    return (
      `store-sync needs Node ${OLDEST_NODE} or later, and this is ${process.version}. ` +
      'In a checkout, `npx store-sync …` and `npm run …` bring the right one along.'
    );
  }
  return existsSync(compiled) ? null : 'store-sync is not built yet: run `npm run build`.';
}

const problem = obstacle();
if (problem === null) {
  // The compile cache is in the system's directory for temporary files: a third less time until the next start. `start` turns it on
  // unless its process only receives (src/cli/start.command.ts).
  const isStart = process.argv[2] === 'start';
  if (!isStart) nodeModule.enableCompileCache();
  // By default the heap grows to several times of its use, and stays there. `start` lets its nursery grow once it knows its roles
  // (src/runtime/lean-heap.ts).
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  if (isStart || !flags.includes('--max-semi-space-size')) setFlagsFromString('--semi-space-growth-factor=1');
  await import(existsSync(bundled) ? bundled.href : compiled.href);
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
