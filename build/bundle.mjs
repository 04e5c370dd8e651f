import { build, transform } from 'esbuild';
import { Buffer } from 'node:buffer';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, join, relative, resolve, sep } from 'node:path';

// The last step of `npm run build`: joins the compiled program and its dependencies into a few files, which load in half the time of
// some 2,500 (docs/decisions/0025-the-program-is-bundled.md).

const FOLDER = 'dist/bundle';

/** Packages that Nest, pg and bullmq use where they are installed. They are not, and must be looked for when the program runs. */
const ABSENT = [
  '@nestjs/microservices',
  '@nestjs/websockets',
  'class-transformer',
  'class-validator',
  '@valkey/valkey-glide',
  'pg-native',
];

/** Its content is read from the package's folder when the program runs. */
const READ_IN_PLACE = ['swagger-ui-dist'];

/** Modules keep their own places, from which they read files and resolve packages. */
function inItsPlace(code, path) {
  const place = JSON.stringify(relative(FOLDER, path).split(sep).join('/'));
  if (/^(?:import|export)\b/m.test(code))
    return code
      .replaceAll(/\bimport\.meta\.url\b/g, `new URL(${place}, import.meta.url).href`)
      .replaceAll(/\bimport\.meta\.dirname\b/g, `__bundledDirectory(${place})`);
  return /\b__(?:dir|file)name\b/.test(code)
    ? `var __dirname = __bundledDirectory(${place}), __filename = __bundledFile(${place}); ${code}`
    : code;
}

/**
 * Classes keep their names, which esbuild may change: names of migrations are stored, and those of errors and modules are logged.
 * esbuild's own option for this slows every inner function down.
 */
function withClassNames(code) {
  return code.replaceAll(
    /^((?:export )?(?:default )?(?:(?:let|const|var) \w+ = (?:\w+ = )?)?class (\w+)(?: extends [^{\n]+)? \{)/gm,
    '$1 static { Object.defineProperty(this, "name", { value: "$2", configurable: true }); }',
  );
}

/** rxjs as ES modules, of which only the used ones are taken. Node itself takes its CommonJS form. */
const usedOfRxjs = {
  name: 'used of rxjs',
  setup({ onResolve }) {
    onResolve({ filter: /^rxjs(?:\/operators)?$/ }, ({ path, kind }) =>
      kind === 'import-statement'
        ? {
            path: resolve('node_modules', path.replace('rxjs', 'rxjs/dist/esm'), 'index.js'),
            sideEffects: false,
          }
        : undefined,
    );
  },
};

/** The code with `undefined` in place of an expression. Throws when another version of a package no longer has it. */
function without(code, expression) {
  if (!code.includes(expression)) throw new Error(`build/bundle.mjs: there is no ${expression} any more`);
  return code.replace(expression, 'undefined');
}

/**
 * Parts of packages that the program never uses, and that would be loaded at every start. A class that is only compared with, or
 * extended, is an empty one.
 */
const UNUSED = [
  // axios sends by `node:http` here. Its adapter for `fetch` asks for classes that load Node's second HTTP client.
  [
    /[\\/]axios[\\/]lib[\\/]adapters[\\/]fetch\.js$/,
    () => 'export const getFetch = () => false; export default false;',
  ],
  // axios compares bodies with Node's `FormData`, which loads that client as well. Bodies are bytes here.
  [
    /[\\/]axios[\\/]lib[\\/]utils\.js$/,
    (_path, code) => without(code, "typeof G.FormData !== 'undefined' ? G.FormData : undefined"),
  ],
  // TypeORM names the drivers of all its databases.
  [
    /[\\/]typeorm[\\/]driver[\\/](?!postgres)[\w-]+[\\/]\w+(?:Driver|QueryRunner)\.js$/,
    (path) => `exports.${basename(path, '.js')} = class {};`,
  ],
  // Bodies of requests are JSON, and JSON is in UTF-8. These are the tables of Chinese, Japanese and Korean encodings.
  [/[\\/]iconv-lite[\\/]encodings[\\/]dbcs-data\.js$/, () => 'module.exports = {};'],
  // Errors of zod are in English, or in words of our own.
  [/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/, () => "export { default as en } from './en.js';"],
];

/**
 * Nest makes a formatter of dates for a log of its own, which the program replaces. Node's data of languages and time zones, which it
 * loads, take 8 MB.
 */
const NEST_LOG = /[\\/]@nestjs[\\/]common[\\/]services[\\/](?:console-)?logger\.service\.js$/;

function withoutFormatter(code, path) {
  if (!NEST_LOG.test(path)) return code;
  const lazy = code
    .replace(
      /^const dateTimeFormatter = (new Intl\.DateTimeFormat\([^)]*\));$/m,
      'const dateTimeFormatter = () => $1;',
    )
    .replaceAll('dateTimeFormatter.format(', 'dateTimeFormatter().format(');
  if (lazy === code) throw new Error(`${path} makes no formatter any more`);
  return lazy;
}

const asInstalled = {
  name: 'as installed',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      const unused = UNUSED.find(([pattern]) => pattern.test(path));
      if (unused !== undefined) return { contents: unused[1](path, code) };
      // As text of a CommonJS module, a first line for the shell would follow other code.
      const placed = inItsPlace(withoutFormatter(code.replace(/^#!.*/, ''), path), path);
      const isOurs = !path.includes(`${sep}node_modules${sep}`);
      return { contents: isOurs || path.includes(`${sep}@nestjs${sep}`) ? withClassNames(placed) : placed };
    });
  },
};

/**
 * An `import` of one of Node's own modules reads all of its exports. Those of `node:http` include a WebSocket, which loads a second HTTP
 * client. `require` reads none of them before they are used.
 */
const requiredOfNode = {
  name: 'of Node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z]/ }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path) ? { path, namespace: 'of-node' } : undefined,
    );
    onLoad({ filter: /^/, namespace: 'of-node' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/**
 * V8 compiles a function that stands in parentheses at once, and so its code gets into the compile cache. Otherwise the body of each
 * CommonJS module is compiled at every start.
 */
function withEagerModules(code) {
  return code.replaceAll(
    /^(var \w+ = __commonJS\(\{\n {2}"[^"\n]+")(\([^)\n]*\) \{\n[\s\S]*?^ {2}\})\n\}\);$/gm,
    '$1: (function$2)\n});',
  );
}

/**
 * Escapes the characters beyond ASCII that esbuild leaves in comments, patterns and templates. A single one makes V8 keep two bytes
 * for every character of a file.
 */
function inAscii(code) {
  return code.replaceAll(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const { outputFiles } = await build({
  entryPoints: { main: 'dist/main.js', 'fingerprint-worker': 'dist/sync/fingerprint-worker.js' },
  outdir: FOLDER,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: [...ABSENT, ...READ_IN_PLACE].flatMap((name) => [name, `${name}/*`]),
  plugins: [requiredOfNode, usedOfRxjs, asInstalled],
  // CommonJS modules expect these.
  banner: {
    js: [
      "import { createRequire as __createRequire } from 'node:module';",
      "import { dirname as __dirnameOf, join as __joined } from 'node:path';",
      'const require = __createRequire(import.meta.url);',
      'const __bundledFile = (path) => __joined(import.meta.dirname, path);',
      'const __bundledDirectory = (path) => __dirnameOf(__bundledFile(path));',
    ].join(' '),
  },
  sourcemap: 'linked',
  sourcesContent: false,
  // bullmq only packs, and the native addon only unpacks.
  define: { 'process.env.MSGPACKR_NATIVE_ACCELERATION_DISABLED': '"true"' },
  logLevel: 'warning',
  write: false,
});

/** The file without spaces that only people need: V8 keeps the whole text in memory. Its map still leads to the sources. */
async function withoutSpaces(file, text, map) {
  const inlined = Buffer.from(map).toString('base64');
  const { code, map: composed } = await transform(
    text.replace(
      /^\/\/# sourceMappingURL=.*$/m,
      `//# sourceMappingURL=data:application/json;base64,${inlined}`,
    ),
    {
      format: 'esm',
      target: 'node24',
      minifyWhitespace: true,
      lineLimit: 160,
      sourcefile: file,
      sourcemap: 'external',
      sourcesContent: false,
    },
  );
  return { code: `${code}//# sourceMappingURL=${file}.map\n`, map: composed };
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER);
const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
for (const [file, text] of texts) {
  if (!file.endsWith('.mjs')) continue;
  const { code, map } = await withoutSpaces(file, withEagerModules(text), texts.get(`${file}.map`));
  writeFileSync(join(FOLDER, file), inAscii(code));
  writeFileSync(join(FOLDER, `${file}.map`), map);
}
