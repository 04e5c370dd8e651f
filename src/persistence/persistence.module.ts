import { Module, type DynamicModule, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { ActionRepository } from './action.repository.js';
import { migrate, openDataSource } from './data-source.js';
import { Database } from './database.js';
import { DeliveryRepository } from './delivery.repository.js';
import { HistoryRepository } from './history.repository.js';
import { GaugeRepository } from './gauge.repository.js';
import { Inbox } from './inbox.js';
import { LinkRepository } from './link.repository.js';
import { ListingRepository } from './listing.repository.js';
import { NotificationRepository } from './notification.repository.js';
import { RetentionRepository } from './retention.repository.js';
import { RunRepository } from './run.repository.js';
import { SavedPlanRepository } from './saved-plan.repository.js';
import { StateRepository } from './state.repository.js';
import { StoreEventRepository } from './store-event.repository.js';
import { TaskRepository } from './task.repository.js';
import { WriteBackRepository } from './write-back.repository.js';

export interface PersistenceSettings {
  readonly url: string;
  readonly poolSize: number;
  /** Applies pending migrations before anything else starts. */
  readonly migrate: boolean;
  readonly onConnectionError: (error: Error) => void;
}

/** Repositories are plain classes on one `Database`. */
const REPOSITORIES: Provider[] = [
  RunRepository,
  ActionRepository,
  LinkRepository,
  TaskRepository,
  DeliveryRepository,
  WriteBackRepository,
  StateRepository,
  StoreEventRepository,
  HistoryRepository,
  ListingRepository,
  SavedPlanRepository,
  NotificationRepository,
  GaugeRepository,
  RetentionRepository,
].map((repository) => ({
  provide: repository,
  inject: [Database],
  useFactory: (db: Database) => new repository(db),
}));

/** Closes the connections last: whatever shuts down before may still write. */
class ConnectionsEnd implements OnApplicationShutdown {
  constructor(
    private readonly db: Database,
    private readonly inbox: Inbox,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.inbox.close();
    if (this.db.dataSource.isInitialized) await this.db.dataSource.destroy();
  }
}

@Module({})
export class PersistenceModule {
  static forRoot(settings: PersistenceSettings): DynamicModule {
    return {
      module: PersistenceModule,
      global: true,
      providers: [
        { provide: Database, useFactory: async () => new Database(await openMigrated(settings)) },
        { provide: Inbox, useFactory: () => new Inbox(settings.url, settings.onConnectionError) },
        {
          provide: ConnectionsEnd,
          inject: [Database, Inbox],
          useFactory: (db: Database, inbox: Inbox) => new ConnectionsEnd(db, inbox),
        },
        ...REPOSITORIES,
      ],
      exports: [
        Database,
        Inbox,
        RunRepository,
        ActionRepository,
        LinkRepository,
        TaskRepository,
        DeliveryRepository,
        WriteBackRepository,
        StateRepository,
        StoreEventRepository,
        HistoryRepository,
        ListingRepository,
        SavedPlanRepository,
        NotificationRepository,
        GaugeRepository,
        RetentionRepository,
      ],
    };
  }
}

async function openMigrated(settings: PersistenceSettings): Promise<DataSource> {
  const source = await openDataSource(settings);
  if (settings.migrate) await migrate(source);
  return source;
}
