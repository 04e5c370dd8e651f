import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { ADMIN_TOKEN } from './admin.guard.js';
import { API_CONTROLLERS } from './controllers.js';
import { ErrorFilter } from './error.filter.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { StateMetrics } from './state-metrics.js';

/** The HTTP interface for operators and orchestrators. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController, MetricsController, ...API_CONTROLLERS],
  providers: [
    StateMetrics,
    { provide: APP_FILTER, useClass: ErrorFilter },
    {
      provide: ADMIN_TOKEN,
      inject: [APP_CONFIG],
      useFactory: ({ server }: AppConfig): string | null => server.adminToken ?? null,
    },
  ],
})
export class ApiModule {}
