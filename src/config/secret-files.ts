import { join } from 'node:path';
import type { ConfigFile } from './config-file.js';
import type { Environment } from './environment.js';
import { namedDirectory } from './named-directory.js';

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The environment, and for each file of `secretsDir` the variable of its name, unless the environment has that variable. A
 * file is read when a setting refers to it. Throws ConfigError when the directory cannot be read.
 */
export function withSecretFiles(files: readonly ConfigFile[], env: Environment): Environment {
  const directory = namedDirectory('secretsDir', files, env);
  if (directory === null) return env;
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const found = directory.names
    .filter((name) => VARIABLE.test(name) && !isSet(name) && !isSet(`${name}_FILE`))
    .map((name) => [`${name}_FILE`, join(directory.path, name)] as const);
  return Object.freeze({ ...env, ...Object.fromEntries(found) });
}
