import { randomUUID } from 'node:crypto';
import { WebhookDeliveryEntity, type WriteBackEntity } from '../../src/persistence/entities/index.js';
import { pollKey } from '../../src/domain/poll-key.js';
import { snapshot } from './fake-store.js';
import { sqlRow } from './sql.js';
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

/** Puts a body into the inbox, as the webhook's route or as a poll of the task does. */
export async function receive(
  stages: Stages,
  body: object | Buffer,
  via: 'webhook' | 'poll' = 'webhook',
): Promise<string> {
  const rawBody = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const { key, action } = dedupeKey(rawBody);
  const { id } = await stages.deliveries.receive({
    ...{ workspace: WORKSPACE, via, headers: {}, rawBody, action },
    dedupeKey: via === 'poll' ? await keyOfPoll(stages, rawBody) : key,
  });
  return id;
}

/** The key of a poll of the task that the body names; another one for a further result of that task. */
async function keyOfPoll(stages: Stages, rawBody: Buffer): Promise<string> {
  const body = JSON.parse(rawBody.toString()) as { product?: { external_id: string }; task?: { id: string } };
  const externalId = body.product?.external_id ?? '';
  const task =
    (await stages.tasks.ofProduct(externalId, body.task?.id ?? '')) ??
    (await stages.tasks.newest(externalId));
  const key = pollKey(task?.id ?? randomUUID());
  const used = await sqlRow(stages.db, 'SELECT id FROM webhook_delivery WHERE dedupe_key = $1', [key]);
  return used === null || used === undefined ? key : pollKey(randomUUID());
}

/** Receives and interprets; returns the row as it is then. */
export async function deliver(stages: Stages, body: object | Buffer, via: 'webhook' | 'poll' = 'webhook') {
  const id = await receive(stages, body, via);
  const { writeBackId } = await stages.interpreter.interpret(id);
  const delivery = await storedDelivery(stages, id);
  if (!delivery) throw new Error(`delivery ${id} is gone`);
  return { delivery, writeBackId };
}

interface Delivered extends ResultOptions {
  /** The number of the product in the store; 1 by default. */
  readonly id?: number;
  readonly via?: 'webhook' | 'poll';
}

/** Delivers a result of the open task. Returns the id of its write-back, and throws without one. */
export async function deliverResult(
  stages: Stages,
  { id = 1, via = 'webhook', ...options }: Delivered = {},
): Promise<string> {
  const { writeBackId, delivery } = await deliver(stages, await resultOf(stages, id, options), via);
  if (writeBackId === null) throw new Error(delivery.note ?? 'the result led to no write-back');
  return writeBackId;
}

let results = 0;

/** Delivers a result that is newer than every one before it, of an unknown task. Otherwise like `deliverResult`. */
export function deliverNewer(stages: Stages, options: Delivered = {}): Promise<string> {
  results += 1;
  const createdAt = new Date(Date.now() + results * 1000);
  return deliverResult(stages, { taskId: `result-${results}`, createdAt, ...options });
}

/** Delivers a newer result and writes it. Returns the row of its write-back. */
export async function writeNewer(stages: Stages, options: Delivered = {}): Promise<WriteBackEntity> {
  return write(stages, await deliverNewer(stages, options));
}

/** Writes the write-back. Returns its row. */
export async function write({ writer, writeBacks }: Stages, id: string): Promise<WriteBackEntity> {
  await writer.write(id);
  const row = await writeBacks.get(id);
  if (row === null) throw new Error(`write-back ${id} is gone`);
  return row;
}

/** The outcome of each target of a write-back. */
export function outcomesOf({
  fields,
}: {
  readonly fields: readonly { readonly target: string; readonly outcome: string }[];
}): Record<string, string> {
  return Object.fromEntries(fields.map(({ target, outcome }) => [target, outcome]));
}

/** Writes the write-backs that are ready until none of them is left. */
export async function writeAll(stages: Stages): Promise<void> {
  await stages.db.affected(`UPDATE write_back SET next_attempt_at = now() WHERE state = 'ready'`);
  for (const id of await stages.writeBacks.due(100)) await stages.writer.write(id);
}

/** The row of a delivery. */
export async function storedDelivery(stages: Stages, id: string): Promise<WebhookDeliveryEntity | null> {
  return stages.db.byId(WebhookDeliveryEntity, id);
}
