import { Global, Module } from '@nestjs/common';
import {
  ApproverPort,
  GenerationRequesterPort,
  LiveLooksPort,
  ReapplierPort,
  SavedPlansPort,
  WriteBackReverterPort,
} from './operations/ports.js';
import { GenerationRequester } from './sync/generation.js';
import { SavedPlans } from './sync/saved-plans.js';
import { SyncModule } from './sync/sync.module.js';
import { Approver } from './write-back/approver.js';
import { LiveLooks } from './write-back/live-looks.js';
import { Reapplier } from './write-back/reapplier.js';
import { WriteBackReverter } from './write-back/reverter.js';
import { WriteBackModule } from './write-back/write-back.module.js';

/** Which stage implements which port of the operations. The daemon and the commands bind `RowWorkPort` each in their way. */
@Global()
@Module({
  imports: [SyncModule, WriteBackModule],
  providers: [
    { provide: GenerationRequesterPort, useExisting: GenerationRequester },
    { provide: SavedPlansPort, useExisting: SavedPlans },
    { provide: WriteBackReverterPort, useExisting: WriteBackReverter },
    { provide: ReapplierPort, useExisting: Reapplier },
    { provide: ApproverPort, useExisting: Approver },
    { provide: LiveLooksPort, useExisting: LiveLooks },
  ],
  exports: [
    GenerationRequesterPort,
    SavedPlansPort,
    WriteBackReverterPort,
    ReapplierPort,
    ApproverPort,
    LiveLooksPort,
  ],
})
export class PortsModule {}
