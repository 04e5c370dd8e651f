import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, type ConfigProblem } from './config-error.js';
import { isMap, readConfigFile, type ConfigFile } from './config-file.js';
import type { Environment } from './environment.js';
import { expandReferences } from './references.js';
import { systemCode } from './text-file.js';
import { messages } from './messages.js';

/**
 * The files of the directory that `storesDir` names, by name. A relative path starts at the file that sets it. Throws
 * ConfigError when the directory cannot be read, and for a file that holds more than a map `stores` or a store that
 * another file has.
 */
export function readStoreFiles(files: readonly ConfigFile[], env: Environment): readonly ConfigFile[] {
  const directory = storesDirectory(files, env);
  if (directory === null) return [];
  const found = yamlFilesIn(directory).map((name) => readConfigFile(join(directory.path, name)));
  const problems = found.flatMap((file, index) => problemsOf(file, [...files, ...found.slice(0, index)]));
  if (problems.length > 0) throw new ConfigError(problems);
  return found;
}

interface StoresDirectory {
  readonly path: string;
  /** The file that names it. */
  readonly namedBy: string;
}

function storesDirectory(files: readonly ConfigFile[], env: Environment): StoresDirectory | null {
  const file = files.findLast(({ settings }) => settings['storesDir'] !== undefined);
  const text = file?.settings['storesDir'];
  // The schema refuses what is no text.
  if (file === undefined || typeof text !== 'string') return null;
  const expansion = expandReferences(text, env);
  if (!expansion.ok)
    throw new ConfigError([{ key: 'storesDir', text: expansion.problem, source: file.path }]);
  return expansion.value === ''
    ? null
    : { path: resolve(dirname(file.path), expansion.value), namedBy: file.path };
}

function yamlFilesIn({ path, namedBy }: StoresDirectory): string[] {
  try {
    return readdirSync(path)
      .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.'))
      .toSorted();
  } catch (error) {
    const text = messages.directoryUnreadable(path, systemCode(error));
    throw new ConfigError([{ key: 'storesDir', text, source: namedBy }], error);
  }
}

function problemsOf(file: ConfigFile, earlier: readonly ConfigFile[]): ConfigProblem[] {
  const others = Object.keys(file.settings).filter((key) => key !== 'stores');
  const stores = storeKeys(file);
  return [
    ...others.map((key) => problem(file, [key], messages.onlyStores)),
    ...stores.flatMap((key) => {
      const other = earlier.find((each) => storeKeys(each).includes(key));
      return other === undefined ? [] : [problem(file, ['stores', key], messages.storeTwice(other.path))];
    }),
  ];
}

function storeKeys({ settings }: ConfigFile): string[] {
  const stores = settings['stores'];
  return isMap(stores) ? Object.keys(stores) : [];
}

function problem(file: ConfigFile, path: readonly string[], text: string): ConfigProblem {
  const { line } = file.locate(path);
  return { key: path.join('.'), text, source: line === null ? file.path : `${file.path}:${String(line)}` };
}
