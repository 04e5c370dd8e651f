import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import type { Job } from 'bullmq';
import { LinkRepository } from '../persistence/link.repository.js';
import { rowIdOf } from '../queue/index.js';
import { Shutdown } from '../runtime/shutdown.js';
import { Sites } from '../sites/sites.js';
import { BackgroundCreations } from './background-creations.js';
import { GenerationRequester } from './generation.js';

const FOLLOW_MS = 60_000;

/** Follows background creations whose run has ended, and asks for the content that they were waiting for. */
@Processor('reconcile')
export class CreationsProcessor extends WorkerHost {
  constructor(
    @Inject(BackgroundCreations) private readonly creations: BackgroundCreations,
    @Inject(GenerationRequester) private readonly generation: GenerationRequester,
    @Inject(LinkRepository) private readonly links: LinkRepository,
    @Inject(Sites) private readonly sites: Sites,
    @Inject(Shutdown) private readonly shutdown: Shutdown,
  ) {
    super();
  }

  async process(job: Job): Promise<void> {
    const store = this.sites.findStore(rowIdOf(job).replace(/^creations:/, ''));
    if (!store || !(await this.links.hasForsakenCreations(store.key))) return;
    const linked = await this.creations.follow(store, FOLLOW_MS, this.shutdown.signal);
    if (linked.length > 0) await this.generation.requestDue(store, null, linked.length, this.shutdown.signal);
  }
}
