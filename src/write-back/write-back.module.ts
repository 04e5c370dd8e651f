import { Module } from '@nestjs/common';
import { Approver } from './approver.js';
import { BulkWorker } from './bulk-worker.js';
import { LiveDecision } from './live-decision.js';
import { LiveLooks } from './live-looks.js';
import { Reapplier } from './reapplier.js';
import { WriteBackReverter } from './reverter.js';
import { WriteBackWriter } from './writer.js';

const SERVICES = [
  LiveDecision,
  LiveLooks,
  WriteBackWriter,
  WriteBackReverter,
  Reapplier,
  Approver,
  BulkWorker,
];

/** Compares, writes, verifies and journals; reverts a write-back, or many; and applies reverted texts again. */
@Module({ providers: SERVICES, exports: SERVICES })
export class WriteBackModule {}
