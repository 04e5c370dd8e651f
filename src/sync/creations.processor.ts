import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { ActionRepository } from '../persistence/action.repository.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { Places, rowIdOf } from '../queue/index.js';
import { Shutdown } from '../runtime/shutdown.js';
import { Connections, type Store } from '../connections/connections.js';
import { BackgroundCreations } from './background-creations.js';
import { GenerationRequester } from './generation.js';

const FOLLOW_MS = 60_000;
const AT_ONCE = 32;
const OF_WORKSPACE = 8;

/** Follows background creations whose run has ended, and requests the content that waits for them. */
@Processor('reconcile', { concurrency: AT_ONCE })
export class CreationsProcessor extends WorkerHost {
  /** The sweep wakes the others again. */
  readonly #places = new Places({ ofSide: OF_WORKSPACE, putOff: () => Promise.resolve() });

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
    const key = rowIdOf(job).replace(/^creations:/, '');
    const store = this.connections.findStore(key);
    if (store)
      await this.#places.work(store.workspace.key, key, async (waiting) => {
        await this.#follow(waiting);
        return 'open';
      });
  }

  async #follow(key: string): Promise<void> {
    const store = this.connections.findStore(key);
    if (!store || !(await this.links.storesWithAbandonedCreations()).includes(key)) return;
    const linked = await this.creations.follow(store, FOLLOW_MS, this.shutdown.signal);
    if (linked.length > 0) await this.#request(store, linked.length);
  }

  /** The requests count towards `generation.maxPerRun` of the run that the creations belong to. The rest waits for the next run. */
  async #request(store: Store, most: number): Promise<void> {
    const [run] = await this.runs.latest(store.key, 1);
    const before = run === undefined ? 0 : (await this.actions.tally(run.id)).generationRequested;
    const room = Math.max(0, store.workspace.settings.generation.maxPerRun - before);
    await this.generation.requestDue(store, run?.id ?? null, Math.min(most, room), this.shutdown.signal);
  }
}
