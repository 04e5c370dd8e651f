import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { AccessModule } from './access.module.js';
import { BearerAuthentication } from './admin.guard.js';
import { API_CONTROLLERS } from './controllers.js';
import { ErrorFilter } from './error.filter.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { StateMetrics } from './state-metrics.js';

/** The HTTP interface for operators and orchestrators. */
@Module({
  imports: [AccessModule, TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController, MetricsController, ...API_CONTROLLERS],
  providers: [StateMetrics, BearerAuthentication, { provide: APP_FILTER, useClass: ErrorFilter }],
})
export class ApiModule {}
