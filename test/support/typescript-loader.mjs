import { transformSync, version } from '@swc/core';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import swcOptions from './swc-options.mjs';

// `node --import …/typescript-loader.mjs file.ts`: runs the sources as they are, without a build, for tests that need a process of its
// own to kill.

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/store-sync-tests/', import.meta.url));
mkdirSync(CACHE, { recursive: true });
enableCompileCache(join(CACHE, 'bytecode'));

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL !== undefined) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
      if (existsSync(fileURLToPath(source))) return { url: source.href, shortCircuit: true };
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    return { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true };
  },
});

/** Compiled as Jest compiles it; each version of a file once, however many processes load it. */
function compiled(filename) {
  const text = readFileSync(filename, 'utf8');
  const key = createHash('sha256').update(`${version}\0${filename}\0${text}`).digest('hex');
  const kept = join(CACHE, `${key}.js`);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  const { code } = transformSync(text, { filename, ...swcOptions });
  // Written whole or not at all: another process may be about to read it.
  const draft = `${kept}.${String(process.pid)}`;
  try {
    writeFileSync(draft, code);
    renameSync(draft, kept);
  } catch (error) {
    // A child that runs as another user compiles for itself.
    if (error.code !== 'EACCES') throw error;
  }
  return code;
}
