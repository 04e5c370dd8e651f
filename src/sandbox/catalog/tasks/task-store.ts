import { Injectable } from '@nestjs/common';
import { SandboxDatabase, type Queryable } from '../database.js';
import type { FreeForm } from '../products/product.schemas.js';
import { SandboxSettings } from '../settings.js';

export type TaskKind = 'create_model' | 'csv_upload' | 'generate' | 'generate_product';
/** `SUCCESS` is documented. The other statuses are the sandbox's own (test/contract/rules.ts, TASK-05). */
export type TaskStatus = 'PENDING' | 'STARTED' | 'SUCCESS' | 'FAILURE';

export interface OpenTask {
  readonly id: number;
  readonly kind: TaskKind;
  readonly parent_id: number | null;
  readonly product_id: number | null;
  readonly payload: unknown;
  readonly attempts: number;
  readonly created_at: Date;
}

/** A task in an answer of /background-tasks/. Times are written as JSON. */
export interface TaskView {
  readonly id: number;
  readonly task_id: string;
  readonly kind: TaskKind;
  readonly status: TaskStatus;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly parent_task_id: string | null;
  readonly error: string | null;
  readonly result: FreeForm | null;
  readonly products: readonly object[];
}

const SELECT_TASKS = `
  SELECT t.id, t.id::text AS task_id, t.kind, t.status, t.parent_id::text AS parent_task_id, t.result, t.reason AS error,
    t.created_at, t.updated_at,
    coalesce((
      SELECT json_agg(json_build_object('id', c.product_id, 'external_id', p.external_id, 'task_id', c.id::text,
                                        'status', c.status, 'error', c.reason) ORDER BY c.id)
      FROM background_task c LEFT JOIN product p ON p.id = c.product_id
      WHERE c.kind = 'generate_product' AND (c.parent_id = t.id OR c.id = t.id)), '[]') AS products
  FROM background_task t`;

/** Background tasks are rows, so that a stop loses none of them. */
@Injectable()
export class TaskStore {
  constructor(
    private readonly database: SandboxDatabase,
    private readonly settings: SandboxSettings,
  ) {}

  async add(
    db: Queryable,
    kind: TaskKind,
    payload: unknown,
    { parentId = null, productId = null }: { parentId?: number | null; productId?: number | null } = {},
  ): Promise<number> {
    const now = this.settings.clock();
    const generation = kind === 'generate' || kind === 'generate_product';
    const delayMs = generation ? this.settings.generationDelayMs : this.settings.backgroundDelayMs;
    const { rows } = await db.query<{ id: number }>(
      `INSERT INTO background_task (kind, payload, parent_id, product_id, run_at, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING id`,
      [kind, JSON.stringify(payload), parentId, productId, new Date(now.getTime() + delayMs), now],
    );
    const id = rows[0]?.id;
    if (id === undefined) throw new Error('The background task was not stored');
    return id;
  }

  /** The task, locked until the transaction ends; undefined when it is unknown or has ended. */
  async lockOpen(tx: Queryable, id: number): Promise<OpenTask | undefined> {
    const { rows } = await tx.query<OpenTask>(
      `SELECT id, kind, parent_id, product_id, payload, attempts, created_at FROM background_task
       WHERE id = $1 AND status IN ('PENDING', 'STARTED') FOR UPDATE`,
      [id],
    );
    return rows[0];
  }

  /** Ends a task that `lockOpen` gave, in the transaction that stores its effect. */
  async finish(
    tx: Queryable,
    id: number,
    status: 'SUCCESS' | 'FAILURE',
    { result = null, reason = null }: { result?: object | null; reason?: string | null } = {},
  ): Promise<void> {
    await tx.query(
      'UPDATE background_task SET status = $2, result = $3, reason = $4, updated_at = $5 WHERE id = $1',
      [id, status, result === null ? null : JSON.stringify(result), reason, this.settings.clock()],
    );
  }

  async list(page: {
    readonly size: number;
    readonly offset: number;
  }): Promise<{ readonly count: number; readonly results: TaskView[] }> {
    const counted = await this.database.query<{ count: number }>(
      'SELECT count(*)::integer AS count FROM background_task',
    );
    const { rows } = await this.database.query<TaskView>(
      `${SELECT_TASKS} ORDER BY t.id DESC LIMIT $1 OFFSET $2`,
      [page.size, page.offset],
    );
    return { count: counted.rows[0]?.count ?? 0, results: rows };
  }

  async find(id: number): Promise<TaskView | undefined> {
    const { rows } = await this.database.query<TaskView>(`${SELECT_TASKS} WHERE t.id = $1`, [id]);
    return rows[0];
  }
}
