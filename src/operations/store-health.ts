import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { PAUSE_CODES } from '../domain/side-pause.js';
import type { StoreStateEntity } from '../persistence/entities/index.js';
import { SidePauseRepository } from '../persistence/side-pause.repository.js';
import { ShopIdentityRepository } from '../persistence/shop-identity.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { Connections } from '../connections/connections.js';
import { StoreProbe } from '../connections/store-probe.js';
import { moment } from './paging.js';

export const healthSchema = z.object({
  state: z.enum(['ok', 'paused']),
  code: z.enum(PAUSE_CODES).nullable(),
  scope: z.enum(['everything', 'writes']).nullable().describe('what is paused: all work, or writes alone'),
  reason: z.string().nullable().describe('a sentence for people'),
  since: z.iso.datetime().nullable(),
  nextTry: z.iso.datetime().nullable(),
});
export type Health = z.output<typeof healthSchema>;

export const retryAnswerSchema = z.object({
  store: z.string(),
  health: healthSchema,
  woken: z.object({ writeBacks: z.int(), runs: z.int() }).describe('what was made due at once'),
});
export type RetryAnswer = z.output<typeof retryAnswerSchema>;

const WELL: Health = { state: 'ok', code: null, scope: null, reason: null, since: null, nextTry: null };

/** Whether stores work, and the end of a pause before its time. */
@Injectable()
export class StoreHealthOperations {
  constructor(
    private readonly connections: Connections,
    private readonly pauses: SidePauseRepository,
    private readonly probe: StoreProbe,
    private readonly state: StateRepository,
    private readonly identities: ShopIdentityRepository,
  ) {}

  async of(store: string): Promise<Health> {
    return presentHealth(await this.state.store(store));
  }

  /**
   * Asks the store for its permissions now. If it grants what is needed, the pause ends and everything that waits for it
   * becomes due. If not, the pause goes on with the store's new answer. Either way the catalog's pause ends, and the sweep of its workspace
   * looks again.
   * With `acceptShop`, the shop that answers is the store's own from now on. Throws `not_found` for a store that is not configured.
   */
  async retry(key: string, { acceptShop = false } = {}): Promise<RetryAnswer> {
    const store = this.connections.namedStore(key);
    if (acceptShop) await this.identities.forget(key);
    await this.pauses.catalog.end(store.workspace.key);
    const { woken } = await this.probe.probe(store);
    await this.state.askForSweep(store.workspace.key);
    return { store: key, health: await this.of(key), woken };
  }
}

/** The health of a store by its row; a store without a row works, as far as is known. */
export function presentHealth(state: StoreStateEntity | null | undefined): Health {
  if (!state?.pausedSince) return WELL;
  return {
    state: 'paused',
    code: state.pausedCode,
    scope: state.pausedScope,
    reason: state.pausedReason,
    since: moment(state.pausedSince),
    nextTry: moment(state.pausedUntil),
  };
}
