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
  readonly attempts: readonly Attempt[];
}

export interface Attempt {
  readonly at: string;
  /** Null when no response came. */
  readonly httpStatus: number | null;
  readonly error: string | null;
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
      `SELECT id, product_id AS "productId", task_id AS "taskId", action, state, body, next_attempt_at AS "nextAttemptAt", attempts
       FROM delivery ORDER BY id`,
    );
    return rows;
  }
}
