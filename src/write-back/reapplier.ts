import { Injectable } from '@nestjs/common';
import { valueHash } from '../domain/written-content.js';
import { IMAGE_ALTS, imageOfTarget } from '../domain/write-target.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { WriteBackDecisions } from '../persistence/write-back-decisions.repository.js';
import { WriteBackRepository, type DecidedBy } from '../persistence/write-back.repository.js';

/**
 * Applies the texts of a reverted write-back again, as a new row that is checked and written like any other. A field that somebody
 * edited since the revert is a conflict, and the gates hold.
 */
@Injectable()
export class Reapplier {
  constructor(
    private readonly writeBacks: WriteBackRepository,
    private readonly links: LinkRepository,
    private readonly decisions: WriteBackDecisions,
  ) {}

  /** The new row's id, or why there is none. */
  async reapply(
    id: string,
    by: DecidedBy,
  ): Promise<{ readonly id: string } | 'wrong_state' | 'newer_result'> {
    const row = await this.writeBacks.get(id);
    if (row?.state !== 'reverted') return 'wrong_state';
    const reverted = new Set(
      row.fields.filter(({ outcome }) => outcome === 'reverted').map(({ target }) => target),
    );
    // The journal has a field for each image, but one intended value covers all images.
    if ([...reverted].some((target) => imageOfTarget(target) !== null)) reverted.add(IMAGE_ALTS);
    const intended = row.intended.filter(({ target }) => reverted.has(target));
    if (intended.length === 0) return 'wrong_state';
    const standing = await this.#standing(row.externalId);
    // For alternative texts, `seen` is the list of the images that they were written for.
    const texts = intended.filter(({ target }) => target !== IMAGE_ALTS);
    const held = texts.map(({ target }) => [target, valueHash(standing(target))] as const);
    return this.decisions.reapply(id, { intended, seen: { ...row.seen, ...Object.fromEntries(held) } }, by);
  }

  /** The store's value of a target unless somebody edited it: our newest text that is still applied, or the merchant's. */
  async #standing(externalId: string): Promise<(target: string) => string | null> {
    const [rows, link] = await Promise.all([
      this.writeBacks.forProduct(externalId),
      this.links.get(externalId),
    ]);
    const applied = new Map(
      rows
        .filter(({ state }) => state === 'applied')
        .flatMap(({ fields }) => fields.filter(({ outcome }) => outcome === 'written'))
        .map(({ target, after }) => [target, after]),
    );
    return (target) => {
      const ours = applied.get(target);
      return ours === undefined ? (link?.written?.[target]?.replaced ?? null) : ours;
    };
  }
}
