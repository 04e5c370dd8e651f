import { Module, type DynamicModule } from '@nestjs/common';
import { Metrics } from '../observability/metrics/metrics.js';
import { ActionRepository } from '../persistence/action.repository.js';
import { Database } from '../persistence/database.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { SavedPlanRepository } from '../persistence/saved-plan.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { StoreEventRepository } from '../persistence/store-event.repository.js';
import { TaskRepository } from '../persistence/task.repository.js';
import { Sites } from '../sites/sites.js';
import { REAL_TIMING } from '../runtime/clock.js';
import { Applier } from './apply.js';
import { BackgroundCreations } from './background-creations.js';
import { GenerationRequester } from './generation.js';
import { RunWorker, type RunLog, type RunParts } from './run-worker.js';
import { SavedPlans } from './saved-plans.js';

/** The sync planner's stage: runs, and what they ask of the catalog service. */
@Module({})
export class SyncModule {
  static forRoot(log: RunLog): DynamicModule {
    return {
      module: SyncModule,
      providers: [
        {
          provide: Applier,
          inject: [Database, ActionRepository, Metrics],
          useFactory: (db: Database, actions: ActionRepository, metrics: Metrics) =>
            new Applier(db, actions, (kind, outcome) => {
              metrics.actions.inc({ kind, outcome });
            }),
        },
        {
          provide: BackgroundCreations,
          inject: [LinkRepository, ActionRepository],
          useFactory: (links: LinkRepository, actions: ActionRepository) =>
            new BackgroundCreations(links, actions, REAL_TIMING),
        },
        {
          provide: GenerationRequester,
          inject: [LinkRepository, TaskRepository, StateRepository],
          useFactory: (links: LinkRepository, tasks: TaskRepository, state: StateRepository) =>
            new GenerationRequester(links, tasks, state),
        },
        {
          provide: SavedPlans,
          inject: [Database, Sites, StateRepository, SavedPlanRepository],
          useFactory: (db: Database, sites: Sites, state: StateRepository, plans: SavedPlanRepository) =>
            new SavedPlans({ db, sites, state, plans, timing: REAL_TIMING }),
        },
        {
          provide: RunWorker,
          inject: [
            Database,
            Sites,
            RunRepository,
            ActionRepository,
            StateRepository,
            StoreEventRepository,
            Applier,
            BackgroundCreations,
            GenerationRequester,
          ],
          useFactory: (
            db: Database,
            sites: Sites,
            runs: RunRepository,
            actions: ActionRepository,
            state: StateRepository,
            events: StoreEventRepository,
            applier: Applier,
            creations: BackgroundCreations,
            generation: GenerationRequester,
          ) => {
            const parts: RunParts = {
              db,
              sites,
              runs,
              actions,
              state,
              events,
              applier,
              creations,
              generation,
              timing: REAL_TIMING,
              log,
            };
            return new RunWorker(parts);
          },
        },
      ],
      exports: [RunWorker, BackgroundCreations, GenerationRequester, SavedPlans],
    };
  }
}
