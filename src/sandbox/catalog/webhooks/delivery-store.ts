import { Injectable } from '@nestjs/common';
import { SandboxDatabase, type Queryable } from '../database.js';
import type { Action } from '../generation/outcome.js';
import { SandboxSettings } from '../settings.js';
import { WebhookSettings } from './webhook-settings.js';

export type DeliveryState = 'pending' | 'delivered' | 'refused' | 'exhausted' | 'cancelled';

/** A delivery as tests and operators look at it. */
export interface DeliveryRecord {
  readonly id: number;
  readonly productId: number;
  readonly taskId: number;
  readonly action: Action;
  readonly state: DeliveryState;
  readonly body: string;
  readonly nextAttemptAt: Date;
  readonly attempts: readonly {
    readonly at: string;
    readonly url: string;
    readonly httpStatus: number | null;
    readonly error: string | null;
  }[];
}

/** Deliveries are rows from the moment a generation ends until they are done, so that a restart goes on where it was. */
@Injectable()
export class DeliveryStore {
  constructor(
    private readonly database: SandboxDatabase,
    private readonly webhooks: WebhookSettings,
    private readonly settings: SandboxSettings,
  ) {}

  /**
   * Notes a delivery in the transaction that ends its task: none when nobody wants the event, and none when the
   * product-and-event pair was notified before (docs/catalog-rules.md#delivery).
   */
  async add(
    tx: Queryable,
    event: {
      readonly productId: number;
      readonly taskId: number;
      readonly action: Action;
      readonly body: string;
    },
  ): Promise<void> {
    const configuration = await this.webhooks.current(tx);
    if (configuration?.actions.includes(event.action) !== true) return;
    const pair = `${event.productId}:${event.action}`;
    await tx.query(
      `INSERT INTO delivery (dedupe_key, product_id, task_id, action, body, next_attempt_at, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT (dedupe_key) DO NOTHING`,
      [
        this.settings.notifyAgain ? `${pair}:${event.taskId}` : pair,
        event.productId,
        event.taskId,
        event.action,
        event.body,
        this.settings.clock(),
      ],
    );
  }

  async list(): Promise<DeliveryRecord[]> {
    const { rows } = await this.database.query<DeliveryRecord>(
      `SELECT d.id, d.product_id AS "productId", d.task_id AS "taskId", d.action, d.state, d.body,
         d.next_attempt_at AS "nextAttemptAt",
         coalesce((SELECT json_agg(json_build_object('at', a.at, 'url', a.url, 'httpStatus', a.http_status, 'error', a.error)
                                   ORDER BY a.number)
                   FROM delivery_attempt a WHERE a.delivery_id = d.id), '[]') AS attempts
       FROM delivery d ORDER BY d.id`,
    );
    return rows;
  }
}
