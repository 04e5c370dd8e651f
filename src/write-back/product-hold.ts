import { randomUUID } from 'node:crypto';
import { CodedError } from '../domain/errors.js';
import type { LinkRepository } from '../persistence/link.repository.js';
import type { Clock } from '../runtime/clock.js';
import { whileHeld } from '../runtime/held-lease.js';

/** Another worker has, or may have, the product: nothing more may be sent to the store for it. Not a failure of the write-back. */
export class HoldLostError extends Error {
  override readonly name = 'HoldLostError';

  constructor(readonly externalId: string) {
    super(`another worker has taken over ${externalId}: nothing more is written for it here`);
  }
}

/** A write is not sent when it was decided longer ago: the store's rate limit can hold one back for minutes. */
const DECISION_VALID_MS = 30_000;

/** The right to write to one product of a store: a lease in the product's row, renewed while the work goes on. */
export class ProductHold {
  private constructor(
    private readonly links: LinkRepository,
    private readonly externalId: string,
    /** Guards every row that the holder updates. */
    readonly lease: string,
  ) {}

  /** Null while another worker holds the product. */
  static async take(links: LinkRepository, externalId: string): Promise<ProductHold | null> {
    const lease = randomUUID();
    const isTaken = await links.takeForWriting(externalId, lease);
    return isTaken ? new ProductHold(links, externalId, lease) : null;
  }

  /** Does `work` under the hold and releases it afterwards. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await whileHeld(() => this.#renew(), work);
    } finally {
      await this.links.releaseFromWriting(this.externalId, this.lease);
    }
  }

  /**
   * The fence right before each write. Made when the write is decided, from live values read just now. It renews the lease in the
   * database. Throws `HoldLostError` when the lease is lost, and `throttled` when the write waited so long that the product has to be
   * read again, because somebody may have edited it.
   */
  fence(clock: Pick<Clock, 'now'>): () => Promise<void> {
    const decidedAtMs = clock.now().getTime();
    return async () => {
      if (!(await this.#renew())) throw new HoldLostError(this.externalId);
      if (clock.now().getTime() - decidedAtMs <= DECISION_VALID_MS) return;
      throw new CodedError(
        'throttled',
        'the store made the write wait, so it was not sent: the product may have changed',
      );
    };
  }

  async #renew(): Promise<boolean> {
    return this.links.keepForWriting(this.externalId, this.lease);
  }
}
