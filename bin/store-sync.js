#!/usr/bin/env node
// Plain JavaScript that any Node can parse: it says what is missing before anything else can fail to load.
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';

const OLDEST_NODE = 24;
const compiled = new URL('../dist/main.js', import.meta.url);

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
  // The cache is in the system's directory for temporary files. The next start takes a third less time.
  nodeModule.enableCompileCache();
  await import(compiled.href);
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
