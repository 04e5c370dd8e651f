import { Module, type DynamicModule } from '@nestjs/common';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { TaskRepository } from '../persistence/task.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { Sites } from '../registry/sites.js';
import { CatalogWebhookController } from './catalog-webhook.controller.js';
import { DeliveriesProcessor } from './deliveries.processor.js';
import { DeliveryInterpreter } from './interpreter.js';
import { WEBHOOK_LOG, type WebhookLog } from './reply.js';
import { StoreWebhookController } from './store-webhook.controller.js';

/** Receive → inbox row → interpret. */
@Module({})
export class WebhooksModule {
  static forRoot(log: WebhookLog): DynamicModule {
    return {
      module: WebhooksModule,
      controllers: [CatalogWebhookController, StoreWebhookController],
      providers: [
        { provide: WEBHOOK_LOG, useValue: log },
        {
          provide: DeliveryInterpreter,
          inject: [
            Sites,
            DeliveryRepository,
            LinkRepository,
            TaskRepository,
            WriteBackRepository,
            StateRepository,
          ],
          useFactory: (
            sites: Sites,
            deliveries: DeliveryRepository,
            links: LinkRepository,
            tasks: TaskRepository,
            writeBacks: WriteBackRepository,
            state: StateRepository,
          ) => new DeliveryInterpreter(sites, deliveries, links, tasks, writeBacks, state, log),
        },
        DeliveriesProcessor,
      ],
    };
  }
}
