import type { Connection, Connections, ConnectionSet, Store } from './connections.js';
import type { ConnectionSettings } from './connection-set.js';

/** Makes the workspaces and stores of a process, at its start and when the configuration or the installations change. */
export abstract class ConnectionMaker {
  /**
   * Those of the configuration, and the stores that merchants installed. Sends nothing. One with the same settings as in `present`
   * is kept. Throws `misconfigured` for settings that cannot work.
   */
  abstract make(config: ConnectionSettings, present: Connections | null): ConnectionSet;

  /** The connections of a set, to be closed when it is replaced. */
  abstract connectionsOf(set: ConnectionSet): readonly Connection[];

  /** Makes the store send its events to this address. */
  abstract subscribe(store: Store, uri: string): Promise<void>;
}
