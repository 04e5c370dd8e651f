import { Injectable } from '@nestjs/common';
import { LessThan, Not, type QueryRunner } from 'typeorm';
import { pollSteps } from '../domain/backoff.js';
import { TASK_TRANSITIONS, statesBefore, type TaskState } from '../domain/row-states.js';
import { Database, json, stepAt } from './database.js';
import { GenerationTaskEntity } from './entities/generation-task.entity.js';
import type { StoreProductEntity } from './entities/store-product.entity.js';
import { countByState } from './state-counts.js';
import { rowOf } from './rows.js';

const taskRow = rowOf(GenerationTaskEntity);

export interface TaskSettlement {
  readonly state: Extract<TaskState, 'succeeded' | 'failed' | 'no_urls' | 'abandoned'>;
  readonly settledBy: 'webhook' | 'poll';
  readonly reason: string | null;
  /** The service's id of the task as the result named it; kept where the ledger knows none of this product's own. */
  readonly taskId?: string | null;
}

/** What the tasks of one request have in common. */
interface NewTasks {
  readonly workspace: string;
  /** Null for a request of no run. */
  readonly runId: string | null;
  readonly firstPollMs: number;
  /** So many tasks of the workspace may be open at once; null for any number. */
  readonly openMost: number | null;
}

/**
 * The ledger of what generation was asked for.
 *
 * SQL: each write is guarded by the state of the task, or covers many tasks in one statement.
 */
@Injectable()
export class TaskRepository {
  constructor(private readonly db: Database) {}

  /**
   * Writes the ledger before the call is made, so that a delivery which overtakes the answer finds its task, and takes the
   * products off the list of what is due. Returns the tasks made; products with an open task, those that are linked in another workspace,
   * and those beyond `openMost` are passed over.
   */
  async open(
    products: readonly Pick<StoreProductEntity, 'externalId'>[],
    { workspace, runId, firstPollMs, openMost }: NewTasks,
  ): Promise<GenerationTaskEntity[]> {
    return this.db.transaction(async (runner) => {
      if (openMost !== null)
        await this.db.affected(
          // SQL: one request of the workspace after the other, because those of two stores at once would count the same room.
          `SELECT pg_advisory_xact_lock(hashtextextended('open-tasks:' || $1::text, 0))`,
          [workspace],
          runner,
        );
      const tasks = await this.db.read(
        taskRow,
        `INSERT INTO generation_task (store, workspace, external_id, catalog_id, run_id, seen, asked_fields,
           next_poll_at)
         -- What another run pushed may not be what the catalog holds now.
         SELECT store, workspace, external_id, catalog_id, $2::uuid, seen_fields,
           CASE WHEN EXISTS (SELECT 1 FROM sync_action AS pushed WHERE pushed.run_id = $2::uuid AND pushed.state = 'applied'
             AND pushed.external_id = store_product.external_id) THEN catalog_fields END,
           now() + $3 * interval '1 millisecond'
         FROM store_product WHERE external_id = ANY($1) AND catalog_id IS NOT NULL AND workspace = $4
         ORDER BY external_id LIMIT CASE WHEN $5::int IS NOT NULL THEN greatest(0, $5 - (
           SELECT count(*) FROM generation_task AS task WHERE task.workspace = $4 AND task.state = 'requested')) END
         ON CONFLICT DO NOTHING RETURNING *`,
        [products.map((product) => product.externalId), runId, firstPollMs, workspace, openMost],
        runner,
      );
      await this.db.affected(
        'UPDATE store_product SET generation_due = false WHERE external_id = ANY($1)',
        [tasks.map((task) => task.externalId)],
        runner,
      );
      return tasks;
    });
  }

  /** The catalog product's content right before the request, if no response to a push had shown it. */
  async askedOf(id: string, fields: Readonly<Record<string, string>>): Promise<void> {
    await this.db.repository(GenerationTaskEntity).update({ id }, { askedFields: { ...fields } });
  }

  /** Records the answers of a call: the service's task id of each row, where it gave one. A delivery may have named it earlier. */
  async answered(tasks: readonly { id: string; taskId: string | null; shared: boolean }[]): Promise<void> {
    await this.db.affected(
      `UPDATE generation_task AS task SET answered_at = now(), task_id = coalesce(task.task_id, row."taskId"),
         task_is_shared = row.shared AND task.task_id IS NULL
       FROM jsonb_to_recordset($1::jsonb) AS row(id uuid, "taskId" text, shared boolean) WHERE task.id = row.id`,
      [json(tasks)],
    );
  }

  /** The service refused the call, so nothing was asked: the rows go, and the products are due again. */
  async refused(ids: readonly string[]): Promise<void> {
    await this.db.transaction(async (runner) => {
      const refused = await this.db.texts(
        `DELETE FROM generation_task WHERE id = ANY($1::uuid[]) AND state = 'requested' RETURNING external_id`,
        [ids],
        runner,
      );
      await this.db.affected(
        'UPDATE store_product SET generation_due = true WHERE external_id = ANY($1)',
        [refused],
        runner,
      );
    });
  }

  async countOpen(workspace: string): Promise<number> {
    return this.db.repository(GenerationTaskEntity).countBy({ workspace, state: 'requested' });
  }

  /** Requests of a run that have no end yet. */
  async countOpenOf(runId: string): Promise<number> {
    return this.db.repository(GenerationTaskEntity).countBy({ runId, state: 'requested' });
  }

  async openFor(externalId: string): Promise<GenerationTaskEntity | null> {
    return this.db.repository(GenerationTaskEntity).findOneBy({ externalId, state: 'requested' });
  }

  async get(id: string): Promise<GenerationTaskEntity | null> {
    return this.db.repository(GenerationTaskEntity).findOneBy({ id });
  }

  /** The newest task of a product that the service knows under this id. */
  async byTaskId(workspace: string, taskId: string): Promise<GenerationTaskEntity | null> {
    return this.db
      .repository(GenerationTaskEntity)
      .createQueryBuilder('task')
      .where({ workspace, taskId })
      .orderBy("task.state = 'requested'", 'DESC')
      .addOrderBy('task.requestedAt', 'DESC')
      .limit(1)
      .getOne();
  }

  /** The product's task that the service knows under this id, which may be shared with other products. */
  async ofProduct(externalId: string, taskId: string): Promise<GenerationTaskEntity | null> {
    return this.db
      .repository(GenerationTaskEntity)
      .findOne({ where: { externalId, taskId }, order: { requestedAt: 'DESC' } });
  }

  /** True when no other product's task has the same id: a request for one product names that product. */
  async isOnlyOne(task: GenerationTaskEntity): Promise<boolean> {
    if (task.taskId === null) return true;
    const { workspace, taskId, externalId } = task;
    return !(await this.db
      .repository(GenerationTaskEntity)
      .existsBy({ workspace, taskId, externalId: Not(externalId) }));
  }

  async newest(externalId: string): Promise<GenerationTaskEntity | null> {
    return this.db
      .repository(GenerationTaskEntity)
      .findOne({ where: { externalId }, order: { requestedAt: 'DESC' } });
  }

  /** The product's task before this one. */
  async before({ externalId, requestedAt }: GenerationTaskEntity): Promise<GenerationTaskEntity | null> {
    return this.db
      .repository(GenerationTaskEntity)
      .findOne({ where: { externalId, requestedAt: LessThan(requestedAt) }, order: { requestedAt: 'DESC' } });
  }

  /** Settles a task once, whichever comes first. False when it was settled before. */
  async settle(id: string, settlement: TaskSettlement, runner?: QueryRunner): Promise<boolean> {
    return this.db.moves(
      `UPDATE generation_task SET state = $2, settled_by = $3, reason = $4, settled_at = now(),
         task_id = CASE WHEN task_id IS NULL OR task_is_shared THEN coalesce($6::text, task_id) ELSE task_id END,
         task_is_shared = task_is_shared AND coalesce($6 = task_id, true)
       WHERE id = $1 AND state = ANY($5)`,
      [
        id,
        settlement.state,
        settlement.settledBy,
        settlement.reason,
        statesBefore(TASK_TRANSITIONS, settlement.state),
        settlement.taskId ?? null,
      ],
      runner,
    );
  }

  /** A settled task that has no id, or one of a shared request, is known by the product's own id from now on. */
  async nameOwn(id: string, taskId: string, runner?: QueryRunner): Promise<void> {
    await this.db.affected(
      `UPDATE generation_task SET task_id = $2, task_is_shared = false
       WHERE id = $1 AND state <> 'requested' AND (task_id IS NULL OR (task_is_shared AND task_id <> $2))`,
      [id, taskId],
      runner,
    );
  }

  /**
   * A result without a request from here is recorded as a completed task. False when it was recorded before; a result
   * without a task counts as recorded when a task of the product was settled after its receipt. `seen` has the hashes of the store's
   * values that the result is based on: where its worker dies, the next one decides by them.
   */
  async recordUnasked(
    product: StoreProductEntity,
    result: TaskSettlement & {
      taskId: string | null;
      seen: Readonly<Record<string, string>>;
      at: Date;
      receivedAt: Date;
    },
    runner?: QueryRunner,
  ): Promise<boolean> {
    return this.db.moves(
      `INSERT INTO generation_task (store, workspace, external_id, catalog_id, state, task_id, seen, reason,
         requested_at, answered_at, next_poll_at, settled_at, settled_by)
       SELECT store, workspace, external_id, coalesce(catalog_id, ''), $2, $3, $8::jsonb, $4, $5, $5, $5,
         now(), $6
       FROM store_product WHERE external_id = $1 AND NOT EXISTS (SELECT 1 FROM generation_task
         WHERE external_id = $1 AND state <> 'requested'
           AND (task_id = $3 OR ($3::text IS NULL AND settled_at >= $7)))`,
      [
        product.externalId,
        result.state,
        result.taskId,
        result.reason,
        result.at,
        result.settledBy,
        result.receivedAt,
        json(result.seen),
      ],
      runner,
    );
  }

  /**
   * Open tasks of the workspace whose poll is due; their next poll is set before they are returned, so that replicas do not poll twice
   * and an interrupted poll is repeated.
   */
  async takeDuePolls(
    limit: number,
    workspace: string,
    firstSeconds: number,
  ): Promise<GenerationTaskEntity[]> {
    return this.db.read(
      taskRow,
      `UPDATE generation_task AS task SET polls = polls + 1, next_poll_at = now() + ${stepAt('$3', 'polls + 2')}
       WHERE id = ANY (ARRAY(SELECT id FROM generation_task WHERE state = 'requested' AND next_poll_at <= now() AND workspace = $2
         ORDER BY next_poll_at LIMIT $1 FOR UPDATE SKIP LOCKED))
       RETURNING task.*`,
      [limit, workspace, json(pollSteps(firstSeconds).stepsMs)],
    );
  }

  /** The result of the last poll, for people; the task stays open. */
  async note(id: string, reason: string): Promise<void> {
    await this.db.repository(GenerationTaskEntity).update({ id, state: 'requested' }, { reason });
  }

  async countByState(store: string): Promise<Record<string, number>> {
    return countByState(this.db.repository(GenerationTaskEntity), { store });
  }
}
