import { Injectable } from '@nestjs/common';
import { Metrics } from '../observability/metrics/metrics.js';
import { Logger } from '../runtime/logger.js';
import { InstalledStores } from './installed-stores.js';
import { SettingsSiteMaker } from './settings-site-maker.js';
import type { Store } from './connections.js';

/** For a process of the role `receive` alone. It calls a store only right after its installation. */
@Injectable()
export class ReceivingSiteMaker extends SettingsSiteMaker {
  constructor(
    installed: InstalledStores,
    private readonly metrics: Metrics,
    private readonly logger: Logger,
  ) {
    super(installed);
  }

  override async subscribe({ key, settings }: Store, uri: string): Promise<void> {
    const { storeConnector } = await import('./connect.js');
    const { installed, metrics, logger } = this;
    const log = logger.child({ stage: 'store' });
    const kept = installed.tokens.of(settings.shop);
    const connector = storeConnector(key, settings, { metrics, log, kept });
    try {
      await connector.subscribe(uri, null);
    } finally {
      await connector.close();
    }
  }
}
