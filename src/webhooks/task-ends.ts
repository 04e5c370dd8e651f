import type { Transaction } from '../persistence/database.js';
import type { GenerationTaskEntity, StoreProductEntity } from '../persistence/entities/index.js';
import type { LinkRepository } from '../persistence/link.repository.js';
import type { TaskRepository, TaskSettlement } from '../persistence/task.repository.js';
import type { ReceivedDelivery } from './received-delivery.js';

/** Ends the task by a result. False when it was ended before. The result may name the task by an id of the product's own. */
export async function settleTask(
  tasks: TaskRepository,
  { row, body }: ReceivedDelivery,
  task: GenerationTaskEntity,
  end: Pick<TaskSettlement, 'state' | 'reason'>,
  transaction?: Transaction,
): Promise<boolean> {
  const taskId = body.task?.id ?? null;
  const settled = await tasks.settle(task.id, { ...end, settledBy: row.via, taskId }, transaction);
  if (!settled && taskId !== null) await tasks.nameOwn(task.id, taskId, transaction);
  return settled;
}

/** Records a generation that was not requested here, so that it is visible. False when it was recorded before. */
export async function recordUnasked(
  tasks: TaskRepository,
  { row, body, createdAt }: ReceivedDelivery,
  link: StoreProductEntity,
  end: Pick<TaskSettlement, 'state' | 'reason'> & { readonly seen: Readonly<Record<string, string>> },
  transaction?: Transaction,
): Promise<boolean> {
  return tasks.recordUnasked(
    link,
    {
      ...end,
      taskId: body.task?.id ?? null,
      settledBy: row.via,
      receivedAt: row.receivedAt,
      at: createdAt ?? row.receivedAt,
    },
    transaction,
  );
}

/** The values of the store that the service can have known when it began a generation that was not requested here. */
export async function seenBefore(
  links: LinkRepository,
  link: Pick<StoreProductEntity, 'externalId' | 'seenFields'>,
  createdAt: Date | null,
): Promise<Record<string, string>> {
  const isKnown = createdAt !== null && Object.keys(link.seenFields).length > 0;
  return isKnown ? links.seenWhen(link, createdAt) : link.seenFields;
}
