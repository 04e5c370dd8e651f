import { Module } from '@nestjs/common';
import { ByteBudget } from './byte-budget.js';
import { CatalogWebhookController } from './catalog-webhook.controller.js';
import { ComplianceWebhookController } from './compliance-webhook.controller.js';
import { StoreWebhookController } from './store-webhook.controller.js';

/** Bytes of deliveries and store events in memory at once. A delivery of 10 MB fits into the part that large bodies have. */
const BODY_BYTES = 64 * 1024 * 1024;

/** The routes for deliveries and events. Only the daemon receives. */
@Module({
  controllers: [CatalogWebhookController, ComplianceWebhookController, StoreWebhookController],
  providers: [
    {
      provide: ByteBudget,
      useFactory: () => new ByteBudget(BODY_BYTES, () => performance.now()),
    },
  ],
})
export class WebhooksModule {}
