import { Module } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { ByteBudget } from './byte-budget.js';
import { CatalogWebhookController } from './catalog-webhook.controller.js';
import { ComplianceWebhookController } from './compliance-webhook.controller.js';
import { StoreWebhookController } from './store-webhook.controller.js';

const BYTES_PER_MEGABYTE = 1024 * 1024;

/** The routes for deliveries and events. Only the daemon receives. */
@Module({
  controllers: [CatalogWebhookController, ComplianceWebhookController, StoreWebhookController],
  providers: [
    {
      provide: ByteBudget,
      inject: [APP_CONFIG],
      useFactory: ({ server }: AppConfig) =>
        new ByteBudget(server.limits.bodyMegabytes * BYTES_PER_MEGABYTE, () => performance.now()),
    },
  ],
})
export class WebhooksModule {}
