import { Module, type DynamicModule } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ADMIN_TOKEN } from './admin.guard.js';
import { DeliveriesController } from './deliveries.controller.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { PlansController } from './plans.controller.js';
import { ProductsController } from './products.controller.js';
import { StateMetrics } from './state-metrics.js';
import { StatusController } from './status.controller.js';
import { StoresController } from './stores.controller.js';
import { SyncsController } from './syncs.controller.js';
import { WebhookController } from './webhook.controller.js';
import { WriteBacksController } from './write-backs.controller.js';

/** What operators and orchestrators ask over HTTP. */
@Module({})
export class ApiModule {
  static forRoot(adminToken: string | undefined): DynamicModule {
    return {
      module: ApiModule,
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [
        HealthController,
        MetricsController,
        StatusController,
        SyncsController,
        StoresController,
        ProductsController,
        DeliveriesController,
        WriteBacksController,
        PlansController,
        WebhookController,
      ],
      providers: [StateMetrics, { provide: ADMIN_TOKEN, useFactory: () => adminToken ?? null }],
    };
  }
}
