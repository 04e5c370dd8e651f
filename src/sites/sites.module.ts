import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { RunRepository } from '../persistence/run.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { RunRequests } from './run-requests.js';
import { Shutdown } from '../runtime/shutdown.js';
import { Sites } from './sites.js';

class SitesEnd implements OnApplicationShutdown {
  constructor(private readonly sites: Sites) {}

  async onApplicationShutdown(): Promise<void> {
    await this.sites.close();
  }
}

/** The configured workspaces and stores, and what everything that works on them shares. */
@Module({})
export class SitesModule {
  static forRoot(sites: Sites): DynamicModule {
    return {
      module: SitesModule,
      global: true,
      providers: [
        { provide: Sites, useValue: sites },
        { provide: SitesEnd, useFactory: () => new SitesEnd(sites) },
        { provide: Shutdown, useFactory: () => new Shutdown() },
        {
          provide: RunRequests,
          inject: [RunRepository, StateRepository],
          useFactory: (runs: RunRepository, state: StateRepository) => new RunRequests(sites, runs, state),
        },
      ],
      exports: [Sites, Shutdown, RunRequests],
    };
  }
}
