import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { ErrorFilter } from './error.filter.js';
import { HealthController } from './health.controller.js';
import { InstallController } from './install.controller.js';
import { MetricsController } from './metrics.controller.js';
import { StateMetrics } from './state-metrics.js';

/** Every process has these routes, whatever its roles: health and metrics. Errors are JSON. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController, MetricsController],
  providers: [StateMetrics, { provide: APP_FILTER, useClass: ErrorFilter }],
})
export class ProbesModule {}

/** The install flow. It is open to the world, like deliveries. */
@Module({ controllers: [InstallController] })
export class InstallModule {}
