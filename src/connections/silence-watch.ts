import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Side } from '../domain/errors.js';
import { SidePauseRepository } from '../persistence/side-pause.repository.js';
import { ANSWERS } from '../runtime/answers.js';
import { Rounds } from '../runtime/rounds.js';
import { addressOf, Connections } from './connections.js';

const EVERY_MS = 1_000;
const SIDES = ['catalog', 'store'] as const;

/** Records which catalog and which store does not answer this process, so that the pages of every process show it. */
@Injectable()
export class SilenceWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #written = { catalog: new Map<string, number | null>(), store: new Map<string, number | null>() };
  /** The next round writes what one could not. */
  readonly #rounds = new Rounds(() => this.look());

  constructor(
    private readonly connections: Connections,
    private readonly pauses: SidePauseRepository,
  ) {}

  onApplicationBootstrap(): void {
    this.#rounds.start(EVERY_MS);
  }

  /** Writes what has changed since the last look. */
  async look(): Promise<void> {
    for (const { key, settings } of this.connections.workspaces)
      await this.#note('catalog', key, ANSWERS.silentSince(settings.baseUrl));
    for (const store of this.connections.stores)
      await this.#note('store', store.key, ANSWERS.silentSince(addressOf(store)));
  }

  /** A process that stops asks no side any more, so it deletes what it recorded. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
    for (const side of SIDES)
      for (const [key, since] of this.#written[side])
        if (since !== null) await this.pauses[side].reportSilence(key, null).catch(() => undefined);
  }

  async #note(side: Side, key: string, since: Date | null | undefined): Promise<void> {
    if (since === undefined) return;
    const written = this.#written[side];
    const sinceMs = since?.getTime() ?? null;
    if (written.get(key) === sinceMs) return;
    await this.pauses[side].reportSilence(key, since);
    written.set(key, sinceMs);
  }
}
