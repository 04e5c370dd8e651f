import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import swcOptions from './swc-options.mjs';

// `node --import …/typescript-loader.mjs file.ts`: runs the sources as they are, without a build, for tests that need a process of its
// own to kill.

const require = createRequire(import.meta.url);
const { version } = require('@swc/core/package.json');
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/store-sync-tests/', import.meta.url));
/** The compiled file of each module, by its URL. */
const loadedFrom = new Map();

mkdirSync(CACHE, { recursive: true });
enableCompileCache(join(CACHE, 'bytecode'));

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    const isOurs = parentURL !== undefined && !parentURL.includes('/node_modules/');
    if (isOurs && specifier.startsWith('.') && specifier.endsWith('.js')) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), parentURL);
      if (existsSync(fileURLToPath(source))) return { url: source.href, shortCircuit: true };
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    return { format: 'module', source: compiled(url), shortCircuit: true };
  },
});

/** Compiled as Jest compiles it; each version of a file once, however many processes load it. */
function compiled(url) {
  const filename = fileURLToPath(url);
  const text = readFileSync(filename, 'utf8');
  const key = createHash('sha256').update(`${version}\0${filename}\0${text}`).digest('hex');
  const kept = join(CACHE, `${key}.js`);
  loadedFrom.set(url, kept);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  // Required here, as its native library takes a tenth of a second to load, and most processes find every module compiled.
  const { code, map } = require('@swc/core').transformSync(text, {
    filename,
    ...swcOptions,
    sourceMaps: true,
  });
  keep(`${kept}.map`, map);
  keep(kept, `${code}\n//# sourceMappingURL=${key}.js.map\n`);
  return code;
}

/** Written whole or not at all: another process may be about to read it. */
function keep(path, content) {
  const draft = `${path}.${String(process.pid)}`;
  try {
    writeFileSync(draft, content);
    renameSync(draft, path);
  } catch (error) {
    // A child that runs as another user compiles for itself.
    if (error.code !== 'EACCES') throw error;
  }
}

/** The file of the source map of a module that was loaded here. */
export function sourceMapOf(url) {
  const kept = loadedFrom.get(url);
  return kept === undefined ? undefined : `${kept}.map`;
}
