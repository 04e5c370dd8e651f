import { Module, type DynamicModule } from '@nestjs/common';
import { CatalogWebhookController } from './catalog-webhook.controller.js';
import { DeliveriesProcessor } from './deliveries.processor.js';
import { interpreterProvider } from './interpreter.provider.js';
import { WEBHOOK_LOG, type WebhookLog } from './reply.js';
import { StoreWebhookController } from './store-webhook.controller.js';

/** Receive → inbox row → interpret. */
@Module({})
export class WebhooksModule {
  static forRoot(log: WebhookLog): DynamicModule {
    return {
      module: WebhooksModule,
      controllers: [CatalogWebhookController, StoreWebhookController],
      providers: [{ provide: WEBHOOK_LOG, useValue: log }, interpreterProvider(log), DeliveriesProcessor],
    };
  }
}
