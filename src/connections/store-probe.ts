import { Injectable } from '@nestjs/common';
import { CodedError, errorLine } from '../domain/errors.js';
import type { PauseScope } from '../domain/side-pause.js';
import { SidePauseRepository, type Woken } from '../persistence/side-pause.repository.js';
import type { Store } from './connections.js';

export interface ProbeResult {
  /** Why the store still cannot be worked with; null when it can. */
  readonly refusal: string | null;
  readonly woken: Woken;
}

/** Asks stores for their permissions, and ends or prolongs their pause by the answer. */
@Injectable()
export class StoreProbe {
  constructor(private readonly pauses: SidePauseRepository) {}

  /** Stores whose pause is over. */
  dueStores(): Promise<string[]> {
    return this.pauses.store.dueTries();
  }

  /** Probes the store if its pause is over and no other process does so now. */
  async probeWhenDue(store: Store): Promise<ProbeResult | null> {
    return (await this.pauses.store.takeDueTry(store.key)) ? this.probe(store) : null;
  }

  /**
   * One request to the store. When what caused the pause works again, everything that waits for it becomes due. Other faults do not keep
   * the pause: an old API version, or a missing permission for something else.
   */
  async probe(store: Store): Promise<ProbeResult> {
    const standing = await this.pauses.store.standing(store.key);
    const refusal = await refusalOf(store, standing?.scope ?? 'everything');
    if (refusal === null) {
      await this.pauses.store.end(store.key);
      return { refusal, woken: await this.pauses.wake(store.key) };
    }
    const { scope, code } = standing ?? ({ scope: 'everything', code: 'credentials_refused' } as const);
    await this.pauses.store.prolong(store.key, { scope, code, reason: refusal });
    return { refusal, woken: { writeBacks: 0, runs: 0 } };
  }
}

async function refusalOf(store: Store, scope: PauseScope): Promise<string | null> {
  try {
    const { mayWriteProducts } = await store.connector.probe();
    return scope === 'everything' || mayWriteProducts ? null : 'the app lacks write_products';
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return errorLine(error);
  }
}
