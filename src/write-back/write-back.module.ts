import { Module } from '@nestjs/common';
import { BulkWorker } from './bulk-worker.js';
import { Gatekeeper } from './gatekeeper.js';
import { Reapplier } from './reapplier.js';
import { WriteBackReverter } from './reverter.js';
import { WriteBackWriter } from './writer.js';

const SERVICES = [WriteBackWriter, WriteBackReverter, Reapplier, BulkWorker, Gatekeeper];

/** Compares, writes, verifies and journals; reverts a write-back, or many; and applies reverted texts again. */
@Module({ providers: SERVICES, exports: SERVICES })
export class WriteBackModule {}
