import { Injectable } from '@nestjs/common';
import { SandboxDatabase } from '../database.js';
import type { Action } from '../generation/outcome.js';
import { SandboxSettings } from '../settings.js';
import { postOnce } from '../../post.js';
import type { Workload } from '../worker.js';
import type { DeliveryState } from './delivery-store.js';
import { signatureHeaders } from './signature.js';
import { WebhookSettings, type WebhookConfiguration } from './webhook-settings.js';

interface PendingDelivery {
  readonly id: number;
  readonly action: Action;
  readonly body: string;
  readonly attempts: number;
  /** Null before the first attempt. */
  readonly first_attempt_at: Date | null;
}

interface Answer {
  readonly httpStatus: number | null;
  readonly error: string | null;
}

/** Sends what is due: docs/catalog-rules.md#delivery. */
@Injectable()
export class DeliveryWorkload implements Workload {
  readonly name = 'deliveries';

  constructor(
    private readonly database: SandboxDatabase,
    private readonly webhooks: WebhookSettings,
    private readonly settings: SandboxSettings,
  ) {}

  async due(limit: number, running: readonly number[]): Promise<readonly number[]> {
    const { rows } = await this.database.query<{ id: number }>(
      `SELECT id FROM delivery WHERE state = 'pending' AND next_attempt_at <= $1 AND NOT id = ANY($3)
       ORDER BY next_attempt_at, id LIMIT $2`,
      [this.settings.clock(), limit, running],
    );
    return rows.map((row) => row.id);
  }

  async run(id: number, signal: AbortSignal): Promise<void> {
    const { rows } = await this.database.query<PendingDelivery>(
      `SELECT id, action, body, attempts, first_attempt_at FROM delivery WHERE id = $1 AND state = 'pending'`,
      [id],
    );
    const [delivery] = rows;
    if (delivery === undefined) return;
    // Where to and with which secret is asked at each attempt: a configuration that was corrected serves the retries.
    const configuration = await this.webhooks.current();
    if (configuration?.actions.includes(delivery.action) !== true) {
      await this.database.query(`UPDATE delivery SET state = 'cancelled' WHERE id = $1`, [id]);
      return;
    }
    const at = this.settings.clock();
    // A retry carries the time of the first attempt.
    const answer = await this.send(delivery.body, configuration, delivery.first_attempt_at ?? at, signal);
    if (answer.httpStatus === null && signal.aborted) return;
    await this.record(delivery, configuration.url, at, answer);
  }

  private async record(
    { id, attempts }: PendingDelivery,
    url: string,
    at: Date,
    { httpStatus, error }: Answer,
  ): Promise<void> {
    const retryDelayMs = this.settings.retryDelaysMs[attempts];
    const state = stateAfter(httpStatus, retryDelayMs !== undefined);
    const nextAttemptAt = new Date(this.settings.clock().getTime() + (retryDelayMs ?? 0));
    await this.database.transaction(async (tx) => {
      await tx.query(
        `UPDATE delivery SET state = $2, attempts = attempts + 1, next_attempt_at = $3,
           first_attempt_at = coalesce(first_attempt_at, $4) WHERE id = $1`,
        [id, state, nextAttemptAt, at],
      );
      await tx.query(
        'INSERT INTO delivery_attempt (delivery_id, number, at, url, http_status, error) VALUES ($1, $2, $3, $4, $5, $6)',
        [id, attempts + 1, at, url, httpStatus, error],
      );
    });
  }

  private async send(
    body: string,
    { url, hmac_secret: secret }: WebhookConfiguration,
    stamp: Date,
    signal: AbortSignal,
  ): Promise<Answer> {
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'catalog-sandbox',
      ...(secret === null ? {} : signatureHeaders(secret, Math.floor(stamp.getTime() / 1000), body)),
    };
    try {
      const httpStatus = await postOnce(url, headers, body, this.settings.deliveryTimeoutMs, signal);
      return { httpStatus, error: null };
    } catch (error) {
      return { httpStatus: null, error: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** The next state of a delivery after an attempt; `httpStatus` is null when no response came. */
export function stateAfter(httpStatus: number | null, mayRetry: boolean): DeliveryState {
  if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) return 'delivered';
  if (httpStatus !== null && httpStatus >= 400 && httpStatus < 500) return 'refused';
  return mayRetry ? 'pending' : 'exhausted';
}
