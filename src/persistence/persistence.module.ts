import { Global, Module } from '@nestjs/common';
import { CodedError } from '../domain/errors.js';
import { counted } from '../domain/text.js';
import { ActionRepository } from './action.repository.js';
import { BulkChangeRepository } from './bulk-change.repository.js';
import { migrateAt, openDataSource, pendingMigrations } from './data-source.js';
import { DATABASE_SETTINGS, type DatabaseSettings } from './database-settings.js';
import { Database } from './database.js';
import { DeliveryRepository } from './delivery.repository.js';
import { GaugeRepository } from './gauge.repository.js';
import { HistoryRepository } from './history.repository.js';
import { Inbox } from './inbox.js';
import { LinkRepository } from './link.repository.js';
import { ListingRepository } from './listing.repository.js';
import { LifecycleEventRepository } from './lifecycle-event.repository.js';
import { NotificationRepository } from './notification.repository.js';
import { RequestRateRepository } from './request-rate.repository.js';
import { OwedRepository } from './owed.repository.js';
import { RetentionRepository } from './retention.repository.js';
import { RunItemRepository } from './run-item.repository.js';
import { RunRepository } from './run.repository.js';
import { PlanRepository } from './plan.repository.js';
import { StatusRepository } from './status.repository.js';
import { SidePauseRepository } from './side-pause.repository.js';
import { AuditRepository } from './audit.repository.js';
import { StateRepository } from './state.repository.js';
import { StoreInstallationRepository } from './store-installation.repository.js';
import { ResultRepository } from './result.repository.js';
import { ReportRepository } from './report.repository.js';
import { SearchRepository } from './search.repository.js';
import { CreditRepository } from './credit.repository.js';
import { ShopIdentityRepository } from './shop-identity.repository.js';
import { ShopRedactionRepository } from './shop-redaction.repository.js';
import { UsedKeyRepository } from './used-key.repository.js';
import { StoreKeyRepository } from './store-key.repository.js';
import { TaskRepository } from './task.repository.js';
import { WriteBackDecisions } from './write-back-decisions.repository.js';
import { WriteBackRepository } from './write-back.repository.js';
import { WriteBackReverts } from './write-back-reverts.repository.js';
import { WriteCapRepository } from './write-cap.repository.js';

const REPOSITORIES = [
  RunRepository,
  RunItemRepository,
  ActionRepository,
  LinkRepository,
  TaskRepository,
  DeliveryRepository,
  WriteBackRepository,
  WriteBackReverts,
  ResultRepository,
  WriteCapRepository,
  WriteBackDecisions,
  BulkChangeRepository,
  StateRepository,
  StatusRepository,
  SidePauseRepository,
  AuditRepository,
  UsedKeyRepository,
  StoreKeyRepository,
  StoreInstallationRepository,
  ShopIdentityRepository,
  ShopRedactionRepository,
  OwedRepository,
  RequestRateRepository,
  HistoryRepository,
  ListingRepository,
  PlanRepository,
  NotificationRepository,
  LifecycleEventRepository,
  GaugeRepository,
  RetentionRepository,
  CreditRepository,
  ReportRepository,
  SearchRepository,
];

/** The database, connected and migrated before any class that needs it is made. */
@Global()
@Module({
  providers: [
    {
      provide: Database,
      inject: [DATABASE_SETTINGS],
      useFactory: async (settings: DatabaseSettings): Promise<Database> => {
        const source = await openDataSource(settings);
        const pending = await pendingMigrations(source);
        if (pending > 0 && !settings.migrate) {
          await source.destroy();
          const count = counted(pending, 'migration is', 'migrations are');
          throw new CodedError('misconfigured', `${count} pending in the database: run store-sync migrate`);
        }
        if (pending > 0) await migrateAt(settings.url);
        return new Database(source);
      },
    },
    Inbox,
    ...REPOSITORIES,
  ],
  exports: [Database, Inbox, ...REPOSITORIES],
})
export class PersistenceModule {}
