import { Module } from '@nestjs/common';
import { WriteBackReverter } from './reverter.js';
import { WriteBackWriter } from './writer.js';

/** Compares, writes, verifies and journals; and reverts a write-back. */
@Module({ providers: [WriteBackWriter, WriteBackReverter], exports: [WriteBackWriter, WriteBackReverter] })
export class WriteBackModule {}
