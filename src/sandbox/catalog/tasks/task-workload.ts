import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CsvImport } from '../csv/csv-import.js';
import { SandboxDatabase } from '../database.js';
import { GenerationService } from '../generation/generation.service.js';
import { ApiError, FieldValidationError } from '../http/errors.js';
import { productBody } from '../products/product.schemas.js';
import { ProductsService } from '../products/products.service.js';
import { SandboxSettings } from '../settings.js';
import type { Workload } from '../worker.js';
import { TaskStore, type OpenTask } from './task-store.js';

/** After so many unexpected errors a task fails; what the request itself is at fault for fails at once. */
const MAX_ATTEMPTS = 3;

const creationPayload = z.object({ locale: z.string(), body: productBody });
const csvPayload = z.object({ locale: z.string(), text: z.string() });

/** Background tasks that are due, each carried out whole or not at all. */
@Injectable()
export class TaskWorkload implements Workload {
  readonly name = 'background tasks';

  constructor(
    private readonly database: SandboxDatabase,
    private readonly tasks: TaskStore,
    private readonly products: ProductsService,
    private readonly csv: CsvImport,
    private readonly generation: GenerationService,
    private readonly settings: SandboxSettings,
  ) {}

  async due(limit: number, running: readonly number[]): Promise<readonly number[]> {
    const now = this.settings.clock();
    const { rows } = await this.database.query<{ id: number }>(
      `UPDATE background_task SET status = 'STARTED', attempts = attempts + 1, updated_at = $1
       WHERE id = ANY (ARRAY(
         SELECT id FROM background_task
         WHERE status IN ('PENDING', 'STARTED') AND kind <> 'generate' AND run_at <= $1 AND NOT id = ANY($3)
         ORDER BY run_at, id LIMIT $2))
       RETURNING id`,
      [now, limit, running],
    );
    return rows.map((row) => row.id);
  }

  async run(id: number): Promise<void> {
    try {
      await this.carryOut(id);
    } catch (error) {
      await this.fail(id, error);
    }
  }

  private async carryOut(id: number): Promise<void> {
    const { rows } = await this.database.query<Pick<OpenTask, 'kind'>>(
      'SELECT kind FROM background_task WHERE id = $1',
      [id],
    );
    switch (rows[0]?.kind) {
      case 'create_model':
        await this.createModel(id);
        break;
      case 'csv_upload':
        await this.importCsv(id);
        break;
      case 'generate_product':
        await this.generation.generate(id);
        break;
      default:
        break; // Gone meanwhile, or a batch, which ends with its last product.
    }
  }

  private async createModel(id: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      const task = await this.tasks.lockOpen(tx, id);
      if (task === undefined) return;
      const { body, locale } = creationPayload.parse(task.payload);
      const { id: productId, created } = await this.products.upsertNow(tx, body, locale);
      await this.tasks.finish(tx, id, 'SUCCESS', { result: { product_id: productId, created } });
    });
  }

  /**
   * Row by row, so that one bad row does not undo the others. After an interruption it starts again: imported rows
   * match themselves.
   */
  private async importCsv(id: number): Promise<void> {
    const { rows } = await this.database.query<Pick<OpenTask, 'payload'>>(
      'SELECT payload FROM background_task WHERE id = $1',
      [id],
    );
    const { text, locale } = csvPayload.parse(rows[0]?.payload);
    const result = await this.csv.import(text, locale);
    await this.database.transaction(async (tx) => {
      if ((await this.tasks.lockOpen(tx, id)) === undefined) return;
      const kept = result.created + result.updated;
      const failed = kept === 0 && result.errors.length > 0;
      await this.tasks.finish(tx, id, failed ? 'FAILURE' : 'SUCCESS', {
        result,
        reason: failed ? 'No row could be imported.' : null,
      });
    });
  }

  private async fail(id: number, error: unknown): Promise<void> {
    const ours = error instanceof ApiError;
    if (!ours) this.settings.logger.error(`background task ${id} met an unexpected error`, error);
    await this.database.transaction(async (tx) => {
      const task = await this.tasks.lockOpen(tx, id);
      // Left open, it is taken again.
      if (task === undefined || (!ours && task.attempts < MAX_ATTEMPTS)) return;
      await this.tasks.finish(tx, id, 'FAILURE', {
        reason: ours ? failureText(error) : 'An unexpected error occurred.',
        result: error instanceof FieldValidationError ? { field_errors: error.fields } : null,
      });
    });
  }
}

function failureText(error: ApiError): string {
  return Object.entries(error.body)
    .map(([field, messages]) => `${field}: ${[messages].flat().join(' ')}`)
    .join('; ');
}
