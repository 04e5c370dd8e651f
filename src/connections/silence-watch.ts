import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { StateRepository } from '../persistence/state.repository.js';
import { ANSWERS } from '../runtime/answers.js';
import { addressOf, Connections } from './connections.js';

const EVERY_MS = 1_000;

/** Records which catalog and which store does not answer this process, so that the pages of every process show it. */
@Injectable()
export class SilenceWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #written = new Map<string, number | null>();
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> | null = null;

  constructor(
    private readonly connections: Connections,
    private readonly state: StateRepository,
  ) {}

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => {
      // The next round writes what this one could not.
      this.#round ??= this.look()
        .catch(() => undefined)
        .finally(() => {
          this.#round = null;
        });
    }, EVERY_MS);
    this.#timer.unref();
  }

  /** Writes what has changed since the last look. */
  async look(): Promise<void> {
    for (const { key, settings } of this.connections.workspaces)
      await this.#note('workspace', key, ANSWERS.silentSince(settings.baseUrl));
    for (const store of this.connections.stores)
      await this.#note('store', store.key, ANSWERS.silentSince(addressOf(store)));
  }

  /** A process that stops asks no side any more, so it takes back what it recorded. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#round;
    for (const [side, since] of this.#written) {
      if (since === null) continue;
      const [kind, key = ''] = side.split(' ');
      await this.state
        .reportSilence(kind === 'store' ? 'store' : 'workspace', key, null)
        .catch(() => undefined);
    }
  }

  async #note(side: 'workspace' | 'store', key: string, since: Date | null | undefined): Promise<void> {
    if (since === undefined) return;
    const known = `${side} ${key}`;
    const sinceMs = since?.getTime() ?? null;
    if (this.#written.get(known) === sinceMs) return;
    await this.state.reportSilence(side, key, since);
    this.#written.set(known, sinceMs);
  }
}
