import { Injectable } from '@nestjs/common';
import { SandboxDatabase } from '../database.js';
import { SandboxSettings } from '../settings.js';
import { postOnce } from '../../post.js';
import type { Workload } from '../worker.js';
import type { Attempt, DeliveryRecord, DeliveryState } from './delivery-store.js';
import { signatureHeaders } from './signature.js';
import { WebhookSettings, type WebhookConfiguration } from './webhook-settings.js';

type PendingDelivery = Pick<DeliveryRecord, 'id' | 'action' | 'body' | 'attempts'>;

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
      `SELECT id, action, body, attempts FROM delivery WHERE id = $1 AND state = 'pending'`,
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
    const [first] = delivery.attempts;
    const stamp = first === undefined ? at : new Date(first.at);
    const answer = await this.send(delivery.body, configuration, stamp, signal);
    if (answer.httpStatus === null && signal.aborted) return;
    await this.record(delivery, { at: at.toISOString(), ...answer });
  }

  private async record({ id, attempts }: PendingDelivery, attempt: Attempt): Promise<void> {
    const retryDelayMs = this.settings.retryDelaysMs[attempts.length];
    const state = stateAfter(attempt.httpStatus, retryDelayMs !== undefined);
    const nextAttemptAt = new Date(this.settings.clock().getTime() + (retryDelayMs ?? 0));
    await this.database.query(
      'UPDATE delivery SET state = $2, attempts = $3, next_attempt_at = $4 WHERE id = $1',
      [id, state, JSON.stringify([...attempts, attempt]), nextAttemptAt],
    );
  }

  private async send(
    body: string,
    { url, hmac_secret: secret }: WebhookConfiguration,
    stamp: Date,
    signal: AbortSignal,
  ): Promise<Omit<Attempt, 'at'>> {
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
