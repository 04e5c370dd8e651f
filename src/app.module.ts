import { Module } from '@nestjs/common';
import { MetricsModule } from './observability/metrics/metrics.module.js';
import { TracingModule } from './observability/tracing/tracing.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { PersistenceModule } from './persistence/persistence.module.js';
import { PortsModule } from './ports.module.js';
import { ConnectionsModule } from './connections/connections.module.js';
import { SyncModule } from './sync/sync.module.js';
import { DeliveriesModule } from './webhooks/deliveries.module.js';
import { WriteBackModule } from './write-back/write-back.module.js';

/**
 * The parts of every process. The daemon adds `DaemonModule`, a command `CommandModule`; both bring the
 * `SettingsModule`.
 */
@Module({
  imports: [
    TracingModule,
    MetricsModule,
    PersistenceModule,
    ConnectionsModule,
    SyncModule,
    DeliveriesModule,
    WriteBackModule,
    PortsModule,
    OperationsModule,
  ],
  exports: [SyncModule, DeliveriesModule, WriteBackModule],
})
export class AppModule {}
