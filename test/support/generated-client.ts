import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';

const run = promisify(execFile);

export interface GeneratedClient {
  /** Errors of the compiler in the generated files and in each of these programs, which import them from `./client/index.ts`. */
  typeErrors(programs: readonly string[]): Promise<readonly string[]>;
  /** Runs the program. Returns what it prints as JSON. */
  run(program: string, args: readonly string[]): Promise<unknown>;
  remove(): Promise<void>;
}

/** A TypeScript client that a generator makes from an OpenAPI document, in a directory of its own. */
export async function generateClient(openApi: unknown): Promise<GeneratedClient> {
  const directory = await mkdtemp(join(tmpdir(), 'store-sync-client-'));
  const document = join(directory, 'openapi.json');
  const config = join(directory, 'generator.json');
  await writeFile(document, JSON.stringify(openApi));
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  const output = { path: join(directory, 'client'), module: { extension: '.ts' } };
  const plugins = ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'];
  await writeFile(
    config,
    JSON.stringify({ input: document, output, plugins, logs: { level: 'silent', file: false } }),
  );
  const generator = resolve('node_modules/@hey-api/openapi-ts/bin/run.js');
  await run(process.execPath, [generator, '--file', config], { cwd: directory });
  const program = async (text: string, name = 'program'): Promise<string> => {
    const path = join(directory, `${name}.ts`);
    await writeFile(path, text);
    return path;
  };
  return {
    typeErrors: async (texts) =>
      typeErrors(await Promise.all(texts.map((text, index) => program(text, `program-${index}`)))),
    run: async (text, args) => {
      const { stdout } = await run(process.execPath, ['--no-warnings', await program(text), ...args]);
      return JSON.parse(stdout) as unknown;
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

function typeErrors(paths: readonly string[]): readonly string[] {
  const compiled = ts.createProgram(paths, {
    strict: true,
    noEmit: true,
    // Only declarations of libraries are left out: the client is a source.
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    types: ['node'],
    typeRoots: [resolve('node_modules/@types')],
  });
  return ts
    .getPreEmitDiagnostics(compiled)
    .map(
      ({ file, messageText }) =>
        `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
}
