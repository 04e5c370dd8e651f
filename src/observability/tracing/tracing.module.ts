import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { TracingLog, RunningTracing } from './start.js';

/** What the environment asks for. */
export interface TracingChoice {
  readonly ratio: number;
  readonly warnings: readonly string[];
}

/** Sends what is left when everything else has ended. */
class TracingEnd implements OnApplicationShutdown {
  constructor(private readonly running: RunningTracing | null) {}

  async onApplicationShutdown(): Promise<void> {
    await this.running?.stop();
  }
}

/** Sends traces where the environment says so. Otherwise nothing of OpenTelemetry but its few API calls is even loaded. */
@Module({})
export class TracingModule {
  static forRoot(settings: TracingChoice | null, log: TracingLog): DynamicModule {
    return {
      module: TracingModule,
      providers: [
        {
          provide: TracingEnd,
          useFactory: async (): Promise<TracingEnd> => {
            if (settings === null) return new TracingEnd(null);
            for (const warning of settings.warnings) log.warn(warning);
            const { startTracing } = await import('./start.js');
            return new TracingEnd(startTracing(settings.ratio, log));
          },
        },
      ],
    };
  }
}
