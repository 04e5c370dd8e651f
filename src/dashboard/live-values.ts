import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../runtime/clock.js';
import { timedOut, within } from '../runtime/time-limit.js';
import { isCoded } from '../domain/errors.js';
import type { GateFinding } from '../domain/gate-finding.js';
import { GatekeeperPort } from '../operations/ports.js';
import type { WriteBackEntity } from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { needsImages } from '../planner/final-text.js';
import { withLandedWrites } from '../planner/plan-write-back.js';
import { livePartsOf } from '../domain/live-parts.js';
import { currentValue, readCategories, readDefinitions, readTranslations } from '../sites/live-targets.js';
import { Sites } from '../sites/sites.js';
import {
  compareFromJournal,
  compareWithLive,
  decisionsAbout,
  isOpen,
  problemOf,
  type Comparison,
  type LiveAnswer,
} from './comparison.js';
import { messages } from './messages.js';

/** The limit of waiting for a store. After it, the page shows the intended values without a comparison. */
const ANSWER_WITHIN_MS = 4_000;
/** A page and its frames read one after the other, and must show the same state. */
const REMEMBERED_MS = 10_000;
const MOST_REMEMBERED = 200;

interface Remembered {
  readonly atMs: number;
  readonly answer: Promise<LiveAnswer>;
}

/** Compares write-backs with the current store values, for people who decide about them. Reads only. */
@Injectable()
export class LiveValues {
  readonly #remembered = new Map<string, Remembered>();

  constructor(
    private readonly sites: Sites,
    private readonly links: LinkRepository,
    private readonly writeBacks: WriteBackRepository,
    private readonly gatekeeper: GatekeeperPort,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Does not throw when a store does not answer; the comparison has the reason. `fresh` ignores remembered values. */
  async compare(row: WriteBackEntity, options: { readonly fresh: boolean }): Promise<Comparison> {
    if (!isOpen(row)) return compareFromJournal(row);
    const store = this.sites.findStore(row.store);
    return compareWithLive(row, store, await this.#answer(row, options.fresh));
  }

  /** The findings of the store's gates in the texts that would be written now; null when the store cannot be read. */
  async findings(row: WriteBackEntity): Promise<readonly GateFinding[] | null> {
    const store = this.sites.findStore(row.store);
    if (!isOpen(row) || store === undefined) return null;
    const answer = await this.#answer(row, false);
    if ('problem' in answer) return null;
    const decisions = decisionsAbout(row, store, answer);
    const { live, link } = answer;
    return this.gatekeeper.findings(store, { decisions, live, written: link.written ?? {} });
  }

  async #answer(row: WriteBackEntity, fresh: boolean): Promise<LiveAnswer> {
    const atMs = this.clock.now().getTime();
    const known = this.#remembered.get(row.id);
    if (known !== undefined && !fresh && atMs - known.atMs < REMEMBERED_MS) return known.answer;
    const answer = this.#ask(row);
    this.#remembered.delete(row.id);
    this.#remembered.set(row.id, { atMs, answer });
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= MOST_REMEMBERED) break;
      this.#remembered.delete(oldest);
    }
    return answer;
  }

  async #ask(row: WriteBackEntity): Promise<LiveAnswer> {
    try {
      const link = await this.links.get(row.externalId);
      if (link === null) return { problem: messages.unlinked };
      const { connector, settings } = this.sites.store(row.store);
      const namespace = settings.writeBack.sections?.namespace ?? null;
      const failed = await this.writeBacks.sentUnanswered(row.externalId);
      const targets = row.intended.map(({ target }) => target);
      const asked = [...targets, ...failed.flatMap((sent) => Object.keys(sent))];
      const store = this.sites.store(row.store);
      const newerTargets = await this.writeBacks.newerTargets(row);
      const [live, translations, definitions, categories] = await within(
        ANSWER_WITHIN_MS,
        Promise.all([
          connector.readLive(
            link.storeId,
            namespace,
            livePartsOf(asked, { images: needsImages(row.intended) }),
          ),
          readTranslations(connector, link.storeId, targets),
          readDefinitions(store, targets),
          readCategories(connector, row.intended),
        ]),
        timedOut(messages.storeSilent(ANSWER_WITHIN_MS / 1000)),
      );
      if (live === null || translations === null) return { problem: messages.deletedInStore };
      // Use the writer's view: a value that a failed write left in the store is ours.
      const written = withLandedWrites(link.written ?? {}, failed, (target) =>
        currentValue(target, live, translations),
      );
      return {
        live,
        translations,
        definitions,
        categories,
        newerTargets,
        link: { written, pushedFields: link.pushedFields },
      };
    } catch (error) {
      if (!isCoded(error)) throw error;
      return problemOf(error);
    }
  }
}
