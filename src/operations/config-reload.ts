import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ConfigSource } from '../config/index.js';
import { Logger } from '../runtime/logger.js';
import { ConnectionMaker } from '../connections/connection-maker.js';
import { Connections } from '../connections/connections.js';

const differences = z.object({
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
});
type Differences = z.output<typeof differences>;

export const reloadAnswerSchema = z.object({
  workspaces: differences,
  stores: differences,
  warnings: z.array(z.string()).describe('settings that work but are probably not intended'),
});
export type ReloadAnswer = z.output<typeof reloadAnswerSchema>;

/** Takes changes of workspaces and stores from the configuration files without a restart. */
@Injectable()
export class ConfigReload {
  readonly #log: Logger;

  constructor(
    private readonly source: ConfigSource,
    private readonly connections: Connections,
    private readonly maker: ConnectionMaker,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'config' });
  }

  /**
   * Reads the files again and replaces workspaces and stores in this process. Work that is in progress ends with the settings it
   * began with. Throws `misconfigured`, and changes nothing, when the files cannot be used or change what needs a restart.
   */
  reload(): ReloadAnswer {
    const loaded = this.source.next();
    const { config, warnings } = loaded;
    const { connections } = this;
    const next = this.maker.make(config, connections);
    const answer = {
      workspaces: differencesOf(connections.workspaces, next.workspaces),
      stores: differencesOf(connections.stores, next.stores),
      warnings: [...warnings],
    };
    // Its secrets are masked before the first line about it.
    this.source.accept(loaded);
    connections.replace(next);
    this.#log.info(answer, 'the configuration was read again');
    return answer;
  }
}

function differencesOf<Entry extends { readonly key: string }>(
  before: readonly Entry[],
  after: readonly Entry[],
): Differences {
  const keysOf = (entries: readonly Entry[]): string[] => entries.map(({ key }) => key);
  const known = new Set(keysOf(before));
  const kept = new Set(keysOf(after));
  return {
    added: keysOf(after.filter(({ key }) => !known.has(key))),
    changed: keysOf(after.filter((entry) => known.has(entry.key) && !before.includes(entry))),
    removed: keysOf(before.filter(({ key }) => !kept.has(key))),
  };
}
