import { setTimeout as sleep } from 'node:timers/promises';
import { signed } from '../support/signed-delivery.js';

/** A delivery of the service: its body, and its expected result. */
export interface Delivery {
  /** Action, product id and task id: what makes two deliveries the same one. */
  readonly key: string;
  readonly body: Buffer;
}

export interface Sent {
  readonly delivery: Delivery;
  /** HTTP status of each attempt; null where no answer came. */
  readonly statuses: (number | null)[];
  /** Attempts that were acknowledged: more than one when the sender did not receive the first answer. */
  acknowledged: number;
}

export interface GenerationResult {
  readonly action: 'product_generated' | 'product_generation_failed' | 'product_generation_no_urls';
  readonly externalId: string;
  readonly catalogId: number;
  readonly taskId: string;
  readonly createdAt: Date;
  readonly content?: {
    readonly name: string;
    readonly html_description: string;
    readonly sections?: readonly object[];
  };
}

/** A delivery's body (docs/catalog-rules.md#delivery-body). */
export function deliveryOf(result: GenerationResult): Delivery {
  const createdAt = result.createdAt.toISOString();
  const status = result.action === 'product_generated' ? 'SUCCESS' : 'FAILURE';
  const body = {
    action: result.action,
    status,
    reason_for_failure: status === 'SUCCESS' ? '' : 'nothing usable was found',
    credits: { consumed: 1, remaining: 5000 },
    task: { id: result.taskId, status, created_at: createdAt, updated_at: createdAt, urls: [] },
    product: { id: result.catalogId, external_id: result.externalId, ...result.content },
  };
  return {
    key: `${result.action}:${String(result.catalogId)}:${result.taskId}`,
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** One POST; its status, or null when no answer came within the service's ten seconds. */
export async function post(
  url: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<number | null> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: new Uint8Array(body),
      headers,
      signal: AbortSignal.timeout(10_000),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return null; // refused, cut off or too slow: the service repeats all three
  }
}

const RETRY_MS = [100, 200, 400, 800];

/**
 * The service's side of delivering: repeats what is answered otherwise than 2xx or 4xx, takes a 4xx as final, and keeps a
 * ledger. Its waits are short and it does not give up, so that the outages of a test may be many.
 */
export class DeliverySender {
  readonly sent: Sent[] = [];
  readonly #under = new Set<Promise<void>>();

  constructor(
    private readonly url: string,
    private readonly secret: string,
    private readonly now = (): Date => new Date(),
  ) {}

  /** Begins to deliver. */
  send(delivery: Delivery): void {
    const entry: Sent = { delivery, statuses: [], acknowledged: 0 };
    this.sent.push(entry);
    const work = this.#deliver(entry).finally(() => this.#under.delete(work));
    this.#under.add(work);
  }

  /** Resolves when everything that was sent is acknowledged or refused. */
  async idle(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under);
  }

  get open(): number {
    return this.#under.size;
  }

  async #deliver(entry: Sent): Promise<void> {
    // As the service may do: every attempt has the timestamp of the first.
    const headers = signed(entry.delivery.body, this.secret, this.now());
    for (let attempt = 0; ; attempt += 1) {
      const status = await post(this.url, entry.delivery.body, headers);
      entry.statuses.push(status);
      if (status !== null && status < 500) {
        if (status < 300) entry.acknowledged += 1;
        return;
      }
      await sleep(RETRY_MS[attempt] ?? 1_000);
    }
  }
}
