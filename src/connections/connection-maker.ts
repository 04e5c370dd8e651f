import { Injectable } from '@nestjs/common';
import type { AppConfig } from '../config/index.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { RequestRateRepository } from '../persistence/request-rate.repository.js';
import { ShopIdentityRepository } from '../persistence/shop-identity.repository.js';
import { Logger } from '../runtime/logger.js';
import { connected } from './connect.js';
import type { Connections, ConnectionSet } from './connections.js';
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

  /** Adds the stores that merchants installed. See `connected`. */
  make(config: AppConfig, present: Connections | null): ConnectionSet {
    const { metrics, logger, rate, identities, installed } = this;
    return connected(config, { metrics, logger, rate, identities }, present, { installed });
  }
}
