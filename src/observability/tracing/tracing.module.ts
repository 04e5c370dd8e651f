import { Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { environment, tracingSettings } from '../../config/index.js';
import { Logger } from '../../runtime/logger.js';
import type { RunningTracing } from './start.js';

const TRACING = Symbol('TRACING');

/** Sends the last spans after everything else has ended. */
@Injectable()
class TracingShutdown implements OnApplicationShutdown {
  constructor(@Inject(TRACING) private readonly running: RunningTracing | null) {}

  async onApplicationShutdown(): Promise<void> {
    await this.running?.stop();
  }
}

/** Sends traces if the environment enables it. Otherwise only OpenTelemetry's API package is loaded. */
@Module({
  providers: [
    {
      provide: TRACING,
      inject: [Logger],
      useFactory: async (logger: Logger): Promise<RunningTracing | null> => {
        const settings = tracingSettings(environment());
        if (settings === null) return null;
        const log = logger.child({ stage: 'tracing' });
        for (const warning of settings.warnings) log.warn({}, warning);
        const { startTracing } = await import('./start.js');
        return startTracing(settings.ratio, log);
      },
    },
    TracingShutdown,
  ],
})
export class TracingModule {}
