import { Injectable } from '@nestjs/common';
import type { AppConfig } from '../config/index.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { RequestRateRepository } from '../persistence/request-rate.repository.js';
import { ShopIdentityRepository } from '../persistence/shop-identity.repository.js';
import { Logger } from '../runtime/logger.js';
import { connect } from './connect.js';
import type { Connections } from './connections.js';
import { InstalledStores } from './installed-stores.js';

/** Makes the connections of this process, at its start and when the configuration or the installations change. */
@Injectable()
export class ConnectionMaker {
  constructor(
    private readonly installed: InstalledStores,
    private readonly metrics: Metrics,
    private readonly rate: RequestRateRepository,
    private readonly identities: ShopIdentityRepository,
    private readonly logger: Logger,
  ) {}

  /** Adds the stores that merchants installed, and keeps those of `present` whose settings are the same. */
  make(config: AppConfig, present?: Connections): Connections {
    const { metrics, logger, rate, identities, installed } = this;
    return connect(config, { metrics, logger, rate, identities }, { installed, present });
  }
}
