import type { Provider } from '@nestjs/common';
import { LinkRepository } from '../persistence/link.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import type { RowLog } from '../runtime/logger.js';
import { Sites } from '../sites/sites.js';
import { REAL_TIMING } from '../runtime/clock.js';
import { WriteBackWriter } from './writer.js';

/** The writer for a process: the daemon's, or a command's that writes for itself. */
export function writerProvider(log: RowLog): Provider {
  return {
    provide: WriteBackWriter,
    inject: [Sites, WriteBackRepository, LinkRepository],
    useFactory: (sites: Sites, writeBacks: WriteBackRepository, links: LinkRepository) =>
      new WriteBackWriter(sites, writeBacks, links, REAL_TIMING, log),
  };
}
