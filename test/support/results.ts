import { randomUUID } from 'node:crypto';
import { snapshot } from './fake-store.js';
import { WORKSPACE, type Stages } from './stages.js';
import { dedupeKey } from '../../src/webhooks/dedupe-key.js';

export interface ResultOptions {
  readonly action?: string;
  readonly taskId?: string | null;
  /** Of the task, which orders results. */
  readonly createdAt?: Date;
  readonly name?: string;
  readonly html?: string;
  readonly reason?: string;
  readonly remaining?: number;
  readonly sections?: readonly object[];
  readonly product?: object | null;
}

/** A delivery's body as docs/catalog-rules.md#delivery-body has it, about a product that is linked. */
export async function resultOf(stages: Stages, id: number, options: ResultOptions = {}): Promise<object> {
  const { externalId } = snapshot(id);
  const link = await stages.links.get(externalId);
  const task = await stages.tasks.newest(externalId);
  const taskId = options.taskId === undefined ? task?.taskId : options.taskId;
  const createdAt = options.createdAt ?? task?.requestedAt ?? new Date();
  return {
    action: options.action ?? 'product_generated',
    status: 'SUCCESS',
    reason_for_failure: options.reason ?? '',
    ...(options.remaining === undefined ? {} : { credits: { consumed: 1, remaining: options.remaining } }),
    ...(taskId == null
      ? {}
      : {
          task: {
            ...{ id: taskId, status: 'SUCCESS', urls: [] },
            created_at: createdAt.toISOString(),
            updated_at: createdAt.toISOString(),
          },
        }),
    product:
      options.product === undefined
        ? {
            ...{ id: Number(link?.catalogId ?? 0), external_id: externalId },
            name: options.name ?? `Generated ${id}`,
            html_description: options.html ?? `<p>Generated ${id}</p>`,
            sections: options.sections ?? [],
          }
        : options.product,
  };
}

/** Puts a body into the inbox, as the webhook's route or as a poll does. */
export async function receive(
  stages: Stages,
  body: object | Buffer,
  via: 'webhook' | 'poll' = 'webhook',
): Promise<string> {
  const rawBody = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const { key, action } = dedupeKey(rawBody);
  const { id } = await stages.deliveries.receive({
    ...{ workspace: WORKSPACE, via, headers: {}, rawBody, action },
    dedupeKey: via === 'poll' ? `poll:${randomUUID()}` : key,
  });
  return id;
}

/** Receives and interprets; returns the row as it is then. */
export async function deliver(stages: Stages, body: object | Buffer, via: 'webhook' | 'poll' = 'webhook') {
  const id = await receive(stages, body, via);
  const { writeBackId } = await stages.interpreter.interpret(id);
  const delivery = await stages.deliveries.get(id);
  if (!delivery) throw new Error(`delivery ${id} is gone`);
  return { delivery, writeBackId };
}

/** Waiting write-backs are written until none is left that could be. */
export async function writeAll(stages: Stages): Promise<void> {
  await stages.db.affected(`UPDATE write_back SET next_attempt_at = now() WHERE state = 'ready'`);
  for (const id of await stages.writeBacks.due(100)) await stages.writer.write(id);
}
