import { Injectable } from '@nestjs/common';
import { CodedError } from '../domain/errors.js';
import type { RunKind, RunTrigger } from '../persistence/entities/sync-run.entity.js';
import { RunRepository } from '../persistence/run.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { Sites } from './sites.js';

export interface RunWish {
  readonly store: string;
  /** True: the whole store is read. Otherwise what changed since the watermark, where there is one. */
  readonly full: boolean;
  readonly force?: boolean;
  readonly trigger: RunTrigger;
  readonly slot?: Date;
}

/** Where runs are asked for: by schedules, commands, the API and store events alike. */
@Injectable()
export class RunRequests {
  constructor(
    private readonly sites: Sites,
    private readonly runs: RunRepository,
    private readonly state: StateRepository,
  ) {}

  /** The store's run: a new one, or the one that is active. Null when the schedule's slot has had its run. */
  async requestSlot(wish: RunWish): Promise<{ id: string; created: boolean } | null> {
    const store = this.sites.store(wish.store);
    const kind = await this.#kind(wish);
    return this.runs.request({
      store: store.key,
      workspace: store.workspace.key,
      kind,
      trigger: wish.trigger,
      force: wish.force ?? false,
      ...(wish.slot ? { slot: wish.slot } : {}),
    });
  }

  /** As `requestSlot`, for those who ask without a slot: there is always a run. Throws `misconfigured` for an unknown store. */
  async request(wish: Omit<RunWish, 'slot'>): Promise<{ id: string; created: boolean }> {
    // Between a conflict and the look for the active run that run may end: then there is room for ours.
    for (let tries = 0; tries < 5; tries += 1) {
      const run = await this.requestSlot(wish);
      if (run !== null) return run;
    }
    throw new CodedError(
      'conflict',
      `runs of store ${wish.store} begin and end faster than one can be asked for`,
    );
  }

  async #kind(wish: RunWish): Promise<RunKind> {
    if (wish.full) return 'full';
    const known = await this.state.store(wish.store);
    return known?.watermark ? 'incremental' : 'full';
  }

  /** Whether the next scheduled run of a store is to be a full one (`schedule.fullEvery`). */
  async fullIsDue(storeKey: string): Promise<boolean> {
    const { schedule } = this.sites.store(storeKey).settings;
    const known = await this.state.store(storeKey);
    if (!known?.watermark || known.lastFullAt === null) return true;
    return known.incrementalsSinceFull + 1 >= schedule.fullEvery;
  }
}
