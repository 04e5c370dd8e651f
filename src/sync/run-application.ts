import { Injectable } from '@nestjs/common';
import { traced } from '../observability/tracing/tracing.js';
import { ActionRepository } from '../persistence/action.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { Clock } from '../runtime/clock.js';
import type { Store } from '../connections/connections.js';
import { Applier } from './apply.js';
import { BackgroundCreations } from './background-creations.js';
import { GenerationRequester } from './generation.js';
import { Outage } from './outage.js';
import { applyOutcome, type ApplyOutcome } from './run-ends.js';
import { enterStep, loseRun, type Hold } from './run-hold.js';

/** How long a run waits for what the catalog creates in its background; reconcile follows what is left. */
const CREATIONS_WAIT_MS = 240_000;

/** The second phase of a run: carries out its plan, follows what the catalog creates in its background, and requests content. */
@Injectable()
export class RunApplication {
  constructor(
    private readonly runs: RunRepository,
    private readonly actions: ActionRepository,
    private readonly applier: Applier,
    private readonly creations: BackgroundCreations,
    private readonly generation: GenerationRequester,
    private readonly clock: Clock,
  ) {}

  async apply(hold: Hold, store: Store): Promise<ApplyOutcome> {
    const { run, lease, signal, onProgress } = hold;
    const applying = {
      id: run.id,
      startedUpTo: run.startedUpTo,
      identifiersProved: hold.identifiersProved,
      begin: async (actionId: string): Promise<void> => {
        if (!(await this.runs.begin(run.id, lease, actionId))) loseRun(hold);
        signal.throwIfAborted();
      },
      assertHeld: (): void => {
        if (performance.now() > hold.heldUntilMs) loseRun(hold);
        signal.throwIfAborted();
      },
    };
    // Failures of an earlier attempt at this run.
    await this.actions.retryFailures(run.id);
    enterStep(hold, 'apply', this.clock);
    const before = await this.actions.tally(run.id);
    let done = 0;
    const outage = new Outage(this.clock, signal);
    await traced('apply', { 'run.open_actions': before.open }, async () => {
      if (before.open === 0) return;
      await this.applier.apply(applying, store, outage, signal, () => {
        done += 1;
        onProgress({ phase: 'apply', done, total: before.open });
      });
    });
    enterStep(hold, 'creations', this.clock);
    onProgress({ phase: 'creations', done: 0, total: null });
    await traced('follow creations', {}, () =>
      this.creations.follow(store, CREATIONS_WAIT_MS, signal, applying.assertHeld),
    );
    enterStep(hold, 'generation', this.clock);
    // Requests of this run before a retry or a crash count towards the limit.
    const room = Math.max(0, store.workspace.settings.generation.maxPerRun - before.generationRequested);
    const asked = await traced('request generation', {}, () =>
      this.generation.requestDue(
        store,
        run.id,
        room,
        signal,
        (done, total) => {
          onProgress({ phase: 'generation', done, total });
        },
        applying.assertHeld,
      ),
    );
    onProgress({ phase: 'generation', done: asked.requested, total: asked.requested });
    return applyOutcome(asked);
  }
}
