import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from '../../../src/config/index.js';
import type { Environment, LoadedConfig, LoadOptions } from '../../../src/config/index.js';

/** A directory of configuration files that lives as long as a test file. */
export function configDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'store-sync-config-'));
  return {
    path: directory,
    file(content: string, name = 'config.yaml'): string {
      const path = join(directory, name);
      writeFileSync(path, content);
      return path;
    },
    /** As `start` with the flag `--roles` reads it where `daemon` is given, as a command does where it is not. */
    load(content: string, env: Environment = {}, daemon?: LoadOptions['daemon']): LoadedConfig {
      const file = { configFile: this.file(content), env, cwd: directory };
      return loadConfig(daemon === undefined ? file : { ...file, daemon });
    },
    /** The one line that an operator gets to see. */
    refusal(content: string, env: Environment = {}, daemon?: LoadOptions['daemon']): string {
      try {
        this.load(content, env, daemon);
      } catch (error) {
        if (error instanceof ConfigError) return error.message.replaceAll(`${directory}/`, '');
        throw error;
      }
      throw new Error('expected the configuration to be refused');
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

export const WORKSPACE =
  'workspaces: { w: { baseUrl: "https://catalog.test/api/v1", auth: { apiToken: token } } }\n';

/** A store with everything it must have, and the given lines of its section. */
export function store(...lines: string[]): string {
  return storeWith(['workspace: w', 'shop: one.myshopify.com', 'auth: { accessToken: token }'], lines);
}

/** The same of the other kind. */
export function woocommerce(...lines: string[]): string {
  const auth = 'auth: { consumerKey: ck_key, consumerSecret: cs_secret }';
  return storeWith(['workspace: w', 'kind: woocommerce', 'url: https://shop.test', auth], lines);
}

function storeWith(base: readonly string[], lines: readonly string[]): string {
  const keys = new Set(lines.map((line) => line.split(':')[0]));
  const kept = base.filter((line) => !keys.has(line.split(':')[0] ?? ''));
  return `${WORKSPACE}stores:\n  s:\n${[...kept, ...lines].map((line) => `    ${line}\n`).join('')}`;
}

/** A workspace with everything it must have, and the given lines of its section. */
export function workspace(...lines: string[]): string {
  const base = ['baseUrl: https://catalog.test/api/v1', 'auth: { apiToken: token }'];
  const keys = new Set(lines.map((line) => line.split(':')[0]));
  const kept = base.filter((line) => !keys.has(line.split(':')[0] ?? ''));
  return `workspaces:\n  w:\n${[...kept, ...lines].map((line) => `    ${line}\n`).join('')}`;
}
