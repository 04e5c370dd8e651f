import { readdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from './config-error.js';
import type { ConfigFile } from './config-file.js';
import type { Environment } from './environment.js';
import { expandReferences } from './references.js';
import { systemCode } from './text-file.js';

/** A directory that a setting names. */
export interface NamedDirectory {
  readonly path: string;
  /** The names of the files in the directory, sorted. Hidden files are left out. */
  readonly names: readonly string[];
}

/**
 * The directory that the top-level setting `key` names; null when it is not set. A relative path starts at the file that sets it.
 * Throws ConfigError when the directory cannot be read.
 */
export function namedDirectory(
  key: 'storesDir' | 'secretsDir',
  files: readonly ConfigFile[],
  env: Environment,
): NamedDirectory | null {
  const file = files.findLast(({ settings }) => settings[key] !== undefined);
  const text = file?.settings[key];
  // The schema refuses what is no text.
  if (file === undefined || typeof text !== 'string') return null;
  const expansion = expandReferences(text, env);
  if (!expansion.ok) throw new ConfigError([{ key, text: expansion.problem, source: file.path }]);
  if (expansion.value === '') return null;
  const path = resolve(dirname(file.path), expansion.value);
  try {
    return {
      path,
      names: readdirSync(path)
        .filter((name) => !name.startsWith('.'))
        .toSorted(),
    };
  } catch (error) {
    const problem = `the directory ${path} cannot be read (${systemCode(error)})`;
    throw new ConfigError([{ key, text: problem, source: file.path }], error);
  }
}
