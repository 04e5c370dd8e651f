import { join } from 'node:path';
import { ConfigError, type ConfigProblem } from './config-error.js';
import { isMap, readConfigFile, type ConfigFile } from './config-file.js';
import type { Environment } from './environment.js';
import { namedDirectory } from './named-directory.js';

/**
 * The files of the directory that `storesDir` names, by name. A relative path starts at the file that sets it. Throws
 * ConfigError when the directory cannot be read, and for a file that holds more than a map `stores` or a store that
 * another file has.
 */
export function readStoreFiles(files: readonly ConfigFile[], env: Environment): readonly ConfigFile[] {
  const directory = namedDirectory('storesDir', files, env);
  if (directory === null) return [];
  const found = directory.names
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => readConfigFile(join(directory.path, name)));
  const problems = found.flatMap((file, index) => problemsOf(file, [...files, ...found.slice(0, index)]));
  if (problems.length > 0) throw new ConfigError(problems);
  return found;
}

function problemsOf(file: ConfigFile, earlier: readonly ConfigFile[]): ConfigProblem[] {
  const others = Object.keys(file.settings).filter((key) => key !== 'stores');
  const stores = storeKeys(file);
  return [
    ...others.map((key) => problem(file, [key], 'unknown key in a file of storesDir; expected only stores')),
    ...stores.flatMap((key) => {
      const other = earlier.find((each) => storeKeys(each).includes(key));
      return other === undefined
        ? []
        : [problem(file, ['stores', key], `the store is also in ${other.path}; expected it in one file`)];
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
