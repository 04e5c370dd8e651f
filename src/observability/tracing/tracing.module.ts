import { Injectable, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { environment, tracingSettings } from '../../config/index.js';
import { Logger } from '../../runtime/logger.js';
import type { RunningTracing } from './start.js';

/** Sends traces if the environment enables it, the last ones after everything else has ended. Otherwise only OpenTelemetry's API package is loaded. */
@Injectable()
class Tracing implements OnModuleInit, OnApplicationShutdown {
  readonly #log: Logger;
  #running: RunningTracing | null = null;

  constructor(logger: Logger) {
    this.#log = logger.child({ stage: 'tracing' });
  }

  async onModuleInit(): Promise<void> {
    const settings = tracingSettings(environment());
    if (settings === null) return;
    for (const warning of settings.warnings) this.#log.warn({}, warning);
    const { startTracing } = await import('./start.js');
    this.#running = startTracing(settings.ratio, this.#log);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#running?.stop();
  }
}

@Module({ providers: [Tracing] })
export class TracingModule {}
