import { Injectable } from '@nestjs/common';
import { Metrics } from '../observability/metrics/metrics.js';
import { PaceRepository } from '../persistence/pace.repository.js';
import { Logger } from '../runtime/logger.js';
import { connected } from './connect.js';
import { InstalledStores } from './installed-stores.js';
import { ConnectionMaker } from './connection-maker.js';
import type { ConnectionSettings } from './connection-set.js';
import {
  connectionsOf,
  type Connection,
  type Connections,
  type ConnectionSet,
  type Store,
} from './connections.js';

/** Makes connections with a client for each workspace and a connector for each store. */
@Injectable()
export class ConnectingSiteMaker extends ConnectionMaker {
  constructor(
    private readonly installed: InstalledStores,
    private readonly metrics: Metrics,
    private readonly pace: PaceRepository,
    private readonly logger: Logger,
  ) {
    super();
  }

  make(config: ConnectionSettings, present: Connections | null): ConnectionSet {
    const { metrics, logger, pace, installed } = this;
    return connected(config, { metrics, logger, pace }, present, { installed });
  }

  connectionsOf(set: ConnectionSet): readonly Connection[] {
    return connectionsOf(set);
  }

  async subscribe({ connector }: Store, uri: string): Promise<void> {
    await connector.subscribe(uri, null);
  }
}
