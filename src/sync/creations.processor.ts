import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { LinkRepository } from '../persistence/link.repository.js';
import { rowIdOf } from '../queue/index.js';
import { Shutdown } from '../runtime/shutdown.js';
import { Sites } from '../sites/sites.js';
import { BackgroundCreations } from './background-creations.js';
import { GenerationRequester } from './generation.js';

const FOLLOW_MS = 60_000;

/** Follows background creations whose run has ended, and requests the content that waits for them. */
@Processor('reconcile')
export class CreationsProcessor extends WorkerHost {
  constructor(
    private readonly creations: BackgroundCreations,
    private readonly generation: GenerationRequester,
    private readonly links: LinkRepository,
    private readonly sites: Sites,
    private readonly shutdown: Shutdown,
  ) {
    super();
  }

  async process(job: Job): Promise<void> {
    const store = this.sites.findStore(rowIdOf(job).replace(/^creations:/, ''));
    if (!store || !(await this.links.hasAbandonedCreations(store.key))) return;
    const linked = await this.creations.follow(store, FOLLOW_MS, this.shutdown.signal);
    if (linked.length > 0) await this.generation.requestDue(store, null, linked.length, this.shutdown.signal);
  }
}
