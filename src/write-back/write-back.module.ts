import { Module, type DynamicModule } from '@nestjs/common';
import type { RowLog } from '../runtime/logger.js';
import { WriteBacksProcessor } from './write-backs.processor.js';
import { writerProvider } from './writer.provider.js';

/** Conflict check, write, verify, journal. What people do with the journal (review, revert) is bound in the composition root. */
@Module({})
export class WriteBackModule {
  static forRoot(log: RowLog): DynamicModule {
    return { module: WriteBackModule, providers: [writerProvider(log), WriteBacksProcessor] };
  }
}
