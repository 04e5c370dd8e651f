import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { z } from 'zod';
import { DELIVERY_TRANSITIONS, statesBefore, type DeliveryState } from '../domain/row-states.js';
import { COUNT_CRASH, PAUSED_NO_LONGER, UNCOUNT_CRASH } from './crash-count.js';
import { BEFORE_NOW, SILENT_SIDE_WAIT, json, uuid, Database } from './database.js';
import { WebhookDeliveryEntity } from './entities/webhook-delivery.entity.js';
import { countByState } from './state-counts.js';
import { IS_FREE, keepLease, leasedBy, RELEASED } from './leased-rows.js';
import { DELIVERY_COLUMNS } from './listing.repository.js';
import { rowOf } from './rows.js';

const deliveryRow = rowOf(WebhookDeliveryEntity);

const outcomeRow = rowOf(WebhookDeliveryEntity, ['state', 'note']);
const shownRow = rowOf(WebhookDeliveryEntity, [
  ...DELIVERY_COLUMNS,
  ...(['headers', 'rawBody'] as const),
]).extend({ bytes: z.int() });

/** A delivery with the beginning of its body, and the length of the whole body. */
export type ShownDelivery = z.output<typeof shownRow>;

const receivedRow = z.object({ id: z.string(), isNew: z.boolean() });

export interface NewDelivery {
  readonly workspace: string;
  readonly dedupeKey: string;
  readonly via: 'webhook' | 'poll';
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Buffer;
  readonly action: string | null;
}

/**
 * The inbox: one row per delivery, however often it is sent.
 *
 * SQL: each write is guarded by the lease or the state that it expects, by the clock of the database.
 */
@Injectable()
export class DeliveryRepository {
  constructor(private readonly db: Database) {}

  /** One insert; `isNew` is false when the same delivery was stored before. */
  async receive(delivery: NewDelivery): Promise<{ id: string; isNew: boolean }> {
    const row = await this.db.readOne(receivedRow, INSERT_DELIVERY, insertValues(delivery));
    if (row) return row;
    const { workspace, dedupeKey } = delivery;
    const known = await this.db
      .repository(WebhookDeliveryEntity)
      .findOne({ select: { id: true }, where: { workspace, dedupeKey } });
    return { id: known?.id ?? '', isNew: false };
  }

  async claim(id: string, lease: string): Promise<WebhookDeliveryEntity | null> {
    return this.db.readOne(
      deliveryRow,
      `UPDATE webhook_delivery SET ${leasedBy('$2')}, attempts = attempts + 1,
         ${COUNT_CRASH}
       WHERE id = $1 AND state = 'received' AND ${IS_FREE} AND ${PAUSED_NO_LONGER} RETURNING *`,
      [id, lease],
    );
  }

  /** Gives a delivery back whose worker lives and had no database for a while. */
  async handBack(id: string, lease: string): Promise<void> {
    await this.db.affected(
      `UPDATE webhook_delivery SET ${RELEASED}, ${UNCOUNT_CRASH} WHERE id = $1 AND lease = $2`,
      [id, lease],
    );
  }

  async keepLease(id: string, lease: string): Promise<boolean> {
    return keepLease(this.db, 'webhook_delivery', id, lease);
  }

  async settle(
    id: string,
    lease: string,
    end: {
      state: Exclude<DeliveryState, 'received'>;
      note: string;
      externalId: string | null;
      taskId: string | null;
    },
  ): Promise<boolean> {
    return this.db.moves(
      `UPDATE webhook_delivery SET state = $3, note = $4, external_id = coalesce($5, external_id),
         task_id = coalesce($6, task_id), settled_at = now(), ${RELEASED}, crash_count = 0
       WHERE id = $1 AND lease = $2 AND state = ANY($7)`,
      [
        id,
        lease,
        end.state,
        end.note,
        end.externalId,
        end.taskId,
        statesBefore(DELIVERY_TRANSITIONS, end.state),
      ],
    );
  }

  /** Waits and comes back: a result that came before its product is linked, or a fault that may pass. */
  async postpone(id: string, lease: string, delayMs: number, note: string): Promise<void> {
    await this.db.affected(
      `UPDATE webhook_delivery SET next_attempt_at = now() + $3 * interval '1 millisecond', note = $4, ${RELEASED}, crash_count = 0 WHERE id = $1 AND lease = $2`,
      [id, lease, delayMs, note],
    );
  }

  /** The workspace does not answer: its due deliveries wait, and count no attempt. */
  async putOff(workspace: string): Promise<void> {
    await this.db.affected(
      `UPDATE webhook_delivery SET next_attempt_at = now() + ${SILENT_SIDE_WAIT}
       WHERE workspace = $1 AND state = 'received' AND next_attempt_at <= now() AND ${IS_FREE}`,
      [workspace],
    );
  }

  async workspaceOf(id: string): Promise<string | null> {
    const known = uuid(id);
    if (known === null) return null;
    const row = await this.db
      .repository(WebhookDeliveryEntity)
      .findOne({ select: { workspace: true }, where: { id: known } });
    return row?.workspace ?? null;
  }

  async due(limit: number): Promise<string[]> {
    const due = { state: 'received', nextAttemptAt: BEFORE_NOW } as const;
    const rows = await this.db.repository(WebhookDeliveryEntity).find({
      select: { id: true },
      where: [
        { ...due, leaseUntil: IsNull() },
        { ...due, leaseUntil: BEFORE_NOW },
      ],
      order: { receivedAt: 'ASC' },
      take: limit,
    });
    return rows.map((row) => row.id);
  }

  /** Puts a settled delivery back to be interpreted again. */
  async replay(id: string): Promise<boolean> {
    return this.db.moves(
      `UPDATE webhook_delivery SET state = 'received', next_attempt_at = now(), attempts = 0, crash_count = 0, settled_at = NULL
       WHERE id = $1::uuid AND state = ANY($2)`,
      [uuid(id), statesBefore(DELIVERY_TRANSITIONS, 'received')],
    );
  }

  async outcome(id: string): Promise<z.output<typeof outcomeRow> | null> {
    return this.db.readOne(outcomeRow, 'SELECT state, note FROM webhook_delivery WHERE id = $1::uuid', [
      uuid(id),
    ]);
  }

  /** `bodyMost`: the bytes of the body that are read. */
  async shown(id: string, bodyMost: number): Promise<ShownDelivery | null> {
    return this.db.readOne(
      shownRow,
      `SELECT id, workspace, via, state, action, external_id, task_id, note, attempts, next_attempt_at, received_at,
         settled_at, headers,
         substring(raw_body FROM 1 FOR $2) AS raw_body, octet_length(raw_body) AS bytes
       FROM webhook_delivery WHERE id = $1::uuid`,
      [uuid(id), bodyMost],
    );
  }

  async countByState(): Promise<Record<string, number>> {
    return countByState(this.db.repository(WebhookDeliveryEntity));
  }
}

// SQL: the conflict clause is the dedupe rule.
export const INSERT_DELIVERY = `INSERT INTO webhook_delivery (workspace, dedupe_key, via, headers, raw_body, action)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id, true AS is_new`;

export function insertValues(delivery: NewDelivery): [string, string, string, string, Buffer, string | null] {
  return [
    delivery.workspace,
    delivery.dedupeKey,
    delivery.via,
    json(delivery.headers),
    delivery.rawBody,
    delivery.action,
  ];
}
