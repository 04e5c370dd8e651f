import { Injectable } from '@nestjs/common';
import { CodedError } from '../domain/errors.js';
import type { RunKind, RunTrigger } from '../persistence/entities/sync-run.entity.js';
import { RunRepository } from '../persistence/run.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { StoreKeyRepository } from '../persistence/store-key.repository.js';
import { Connections } from './connections.js';
import { assertKeyIsCurrent } from './store-keys.js';

export interface RunRequest {
  readonly store: string;
  /** True: read the whole store. Otherwise read the changes since the watermark, if there is one. */
  readonly full: boolean;
  readonly force?: boolean;
  readonly trigger: RunTrigger;
  /** The person or the token that asks. */
  readonly requestedBy?: string;
  readonly slot?: Date;
}

/** Requests runs for schedules, commands, the API and store events. */
@Injectable()
export class RunRequests {
  constructor(
    private readonly connections: Connections,
    private readonly runs: RunRepository,
    private readonly state: StateRepository,
    private readonly keys: StoreKeyRepository,
  ) {}

  /**
   * The store's run: a new one, or the active one. Null when the schedule's slot has already had its run, or the merchant uninstalled the
   * app. Throws `misconfigured` for an unknown store, and for a store whose rows were moved to another key meanwhile.
   */
  async requestSlot(request: RunRequest): Promise<{ id: string; created: boolean } | null> {
    const store = this.connections.store(request.store);
    await assertKeyIsCurrent(this.keys, store);
    const kind = await this.#kind(request);
    return this.runs.request({
      store: store.key,
      workspace: store.workspace.key,
      kind,
      trigger: request.trigger,
      force: request.force ?? false,
      requestedBy: request.requestedBy,
      ...(request.slot ? { slot: request.slot } : {}),
    });
  }

  /** The same as `request` for a store that a person names. Throws `not_found` for an unknown one. */
  async requestNamed(request: RunRequest): Promise<{ id: string; created: boolean }> {
    this.connections.namedStore(request.store);
    return this.request(request);
  }

  /** Remembers a slot that came due while another run was active: its run follows that one. */
  async putOffSlot(store: string, slot: Date): Promise<void> {
    await this.state.putOffSlot(store, slot);
  }

  /**
   * Slots that came due while another run was active, and whose run may begin now. Returns the runs that were made. `guarded` runs the
   * work of one store, and may catch its error so that the others go on.
   */
  async requestSlotsPutOff(
    guarded: (store: string, work: () => Promise<void>) => Promise<void> = (_store, work) => work(),
  ): Promise<{ store: string; id: string }[]> {
    const made: { store: string; id: string }[] = [];
    for (const { store, slotDue } of await this.state.slotsPutOff()) {
      if (!this.connections.findStore(store)) continue;
      await guarded(store, async () => {
        const full = await this.fullIsDue(store);
        const run = await this.requestSlot({ store, full, trigger: 'schedule', slot: slotDue });
        if (run !== null && !run.created) return;
        await this.state.slotTaken(store, slotDue);
        if (run !== null) made.push({ store, id: run.id });
      });
    }
    return made;
  }

  /** Like `requestSlot`, without a slot, so the result is always a run. Throws `misconfigured` for an unknown store. */
  async request(request: Omit<RunRequest, 'slot'>): Promise<{ id: string; created: boolean }> {
    // The active run may end between the conflict and the query for it. Then a new run is possible.
    for (let tries = 0; tries < 5; tries += 1) {
      const run = await this.requestSlot(request);
      if (run !== null) return run;
    }
    throw new CodedError(
      'conflict',
      `runs of store ${request.store} begin and end faster than one can be asked for`,
    );
  }

  async #kind(request: RunRequest): Promise<RunKind> {
    if (request.full) return 'full';
    const { key, scope } = this.connections.store(request.store);
    return (await this.state.watermark(key, scope)) === null ? 'full' : 'incremental';
  }

  /** Whether the store's next scheduled run is a full one (`schedule.fullEvery`). */
  async fullIsDue(storeKey: string): Promise<boolean> {
    const { scope, settings } = this.connections.store(storeKey);
    const known = await this.state.inScope(storeKey, scope);
    if (known?.lastFullAt == null) return true;
    return known.incrementalsSinceFull + 1 >= settings.schedule.fullEvery;
  }
}
