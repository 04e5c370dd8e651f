import { Module } from '@nestjs/common';
import { CatalogWebhookController } from './catalog-webhook.controller.js';
import { DeliveryInterpreter } from './interpreter.js';
import { StoreWebhookController } from './store-webhook.controller.js';

/** What deliveries mean. */
@Module({ providers: [DeliveryInterpreter], exports: [DeliveryInterpreter] })
export class DeliveriesModule {}

/** Where deliveries and events arrive; the daemon alone receives. */
@Module({ controllers: [CatalogWebhookController, StoreWebhookController] })
export class WebhooksModule {}
