import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A TypeScript file of the project, by its path from the checkout's root with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Every module that is imported, re-exported or required: a path from the root for own files, otherwise the specifier. */
  readonly imports: readonly string[];
}

/** By folder: several tests look at the same files, which do not change meanwhile. */
const read = new Map<string, readonly SourceFile[]>();

/** All .ts files below a folder of the checkout. */
export function sourceFiles(folder: string): readonly SourceFile[] {
  const known = read.get(folder) ?? readSources(folder);
  read.set(folder, known);
  return known;
}

function readSources(folder: string): readonly SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const path = relative(ROOT, join(ROOT, folder, name)).replaceAll('\\', '/');
      const text = readFileSync(join(ROOT, path), 'utf8');
      return { path, text, imports: importsOf(path, text) };
    });
}

function importsOf(path: string, text: string): readonly string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => {
    if (!fileName.startsWith('.')) return fileName;
    return posix.join(dirname(path), fileName).replace(/\.js$/, '.ts');
  });
}
