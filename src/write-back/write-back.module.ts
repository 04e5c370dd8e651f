import { Module, type DynamicModule } from '@nestjs/common';
import { LinkRepository } from '../persistence/link.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { Sites } from '../registry/sites.js';
import type { RowLog } from '../registry/row-log.js';
import { REAL_TIMING } from '../registry/timing.js';
import { WriteBackReverter } from './reverter.js';
import { WriteBacksProcessor } from './write-backs.processor.js';
import { WriteBackWriter } from './writer.js';

/** Review, conflict check, write, verify, revert. */
@Module({})
export class WriteBackModule {
  static forRoot(log: RowLog): DynamicModule {
    return {
      module: WriteBackModule,
      providers: [
        {
          provide: WriteBackWriter,
          inject: [Sites, WriteBackRepository, LinkRepository],
          useFactory: (sites: Sites, writeBacks: WriteBackRepository, links: LinkRepository) =>
            new WriteBackWriter(sites, writeBacks, links, REAL_TIMING, log),
        },
        {
          provide: WriteBackReverter,
          inject: [Sites, WriteBackRepository, LinkRepository],
          useFactory: (sites: Sites, writeBacks: WriteBackRepository, links: LinkRepository) =>
            new WriteBackReverter(sites, writeBacks, links, log),
        },
        WriteBacksProcessor,
      ],
      exports: [WriteBackWriter, WriteBackReverter],
    };
  }
}
