import { Module } from '@nestjs/common';
import { WriteBackReverter } from './reverter.js';
import { WriteBackWriter } from './writer.js';

/** Conflict check, write, verify, journal; and taking a write-back back. */
@Module({ providers: [WriteBackWriter, WriteBackReverter], exports: [WriteBackWriter, WriteBackReverter] })
export class WriteBackModule {}
