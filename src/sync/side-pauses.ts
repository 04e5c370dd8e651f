import { Injectable } from '@nestjs/common';
import { pausedSide } from '../domain/error-policy.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { pauseAfter } from '../domain/store-health.js';
import type { StoreProbe } from '../domain/store-port.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import { StateRepository } from '../persistence/state.repository.js';
import { StoreHealthRepository } from '../persistence/store-health.repository.js';
import { Logger } from '../runtime/logger.js';
import type { Store } from '../connections/connections.js';

/** Pauses of the two sides that a run talks to. Only the side that refuses us is paused: other stores go on. */
@Injectable()
export class SidePauses {
  readonly #log: Logger;

  constructor(
    private readonly state: StateRepository,
    private readonly health: StoreHealthRepository,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'sync' });
  }

  /** Throws `throttled` while the store or its workspace is paused: the run is tried again when the pause ends. */
  async refuseWhilePaused({ key, workspace }: Store): Promise<void> {
    const store = await this.health.forbids(key, 'reads');
    if (store !== null)
      throw new CodedError('throttled', `store ${key} is paused: ${store.reason}`, {
        retryAfterMs: store.remainingMs,
      });
    const catalog = await this.state.pausedNow(workspace.key);
    if (catalog !== null)
      throw new CodedError('throttled', `workspace ${workspace.key} is paused: ${catalog.reason}`, {
        retryAfterMs: catalog.remainingMs,
      });
  }

  /**
   * Asks the store who it is, before it is read. Throws `misconfigured` when another shop answers. Notes the API version that it serves,
   * for people.
   */
  async identifyStore({ key, connector }: Store): Promise<StoreProbe> {
    const identity = await connector.probe();
    await this.health.serves(key, identity.servedVersion);
    return identity;
  }

  /** The store was read to the end. */
  async storeWorks(store: string): Promise<void> {
    await this.health.works(store, 'reads');
  }

  /** A run came through: the catalog answers. */
  async catalogWorks(workspace: string): Promise<void> {
    await this.state.unpause(workspace);
  }

  /** Pauses the side that ended the run by refusing us, if one did. */
  async pauseAfter(run: SyncRunEntity, cause: CodedError): Promise<void> {
    switch (pausedSide('run', cause)) {
      case 'catalog':
        await this.state.pause(run.workspace, errorLine(cause));
        return;
      case 'store': {
        const pause = pauseAfter('run', cause);
        const delayMs = await this.health.pause(run.store, pause);
        this.#log.warn({ runId: run.id, store: run.store, code: pause.code, delayMs }, 'the store is paused');
        return;
      }
      case null:
    }
  }
}
