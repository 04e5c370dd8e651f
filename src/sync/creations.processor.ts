import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { ActionRepository } from '../persistence/action.repository.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { rowIdOf } from '../queue/index.js';
import { Shutdown } from '../runtime/shutdown.js';
import { Connections, type Store } from '../connections/connections.js';
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
    private readonly runs: RunRepository,
    private readonly actions: ActionRepository,
    private readonly connections: Connections,
    private readonly shutdown: Shutdown,
  ) {
    super();
  }

  async process(job: Job): Promise<void> {
    const store = this.connections.findStore(rowIdOf(job).replace(/^creations:/, ''));
    if (!store || !(await this.links.hasAbandonedCreations(store.key))) return;
    const linked = await this.creations.follow(store, FOLLOW_MS, this.shutdown.signal);
    if (linked.length > 0) await this.#request(store, linked.length);
  }

  /** The requests count towards `generation.maxPerRun` of the run that the creations belong to. The rest waits for the next run. */
  async #request(store: Store, most: number): Promise<void> {
    const [run] = await this.runs.latest(store.key, 1);
    const before = run === undefined ? 0 : (await this.actions.openAndRequested(run.id)).generationRequested;
    const room = Math.max(0, store.workspace.settings.generation.maxPerRun - before);
    await this.generation.requestDue(store, run?.id ?? null, Math.min(most, room), this.shutdown.signal);
  }
}
