import type { z } from 'zod';
import { deliverySchema, type CatalogDelivery } from '../catalog/schemas.js';
import { readUntrustedJson } from '../runtime/untrusted-json.js';
import type { WebhookDeliveryEntity } from '../persistence/entities/index.js';
import type { Connections, Workspace } from '../connections/connections.js';
import { notConfigured, parked, type Verdict } from './verdict.js';

/** A delivery whose body is understood. */
export interface ReceivedDelivery {
  readonly row: WebhookDeliveryEntity;
  readonly body: CatalogDelivery;
  readonly workspace: Workspace;
  /** Never later than the receipt, whatever the body says. Null where it says nothing. */
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}

/** The row's body, parsed; a verdict when it is no delivery of a configured workspace. */
export function readDelivery(
  row: WebhookDeliveryEntity,
  connections: Connections,
): ReceivedDelivery | Verdict {
  const json = readUntrustedJson(row.rawBody);
  if (!json.ok) return parked('unreadable', 'the body is not readable as JSON in UTF-8');
  const parsed = deliverySchema.safeParse(json.value);
  if (!parsed.success)
    return parked('no_delivery', `the body is not a delivery: ${whereAndWhat(parsed.error)}`);
  const workspace = connections.workspace(row.workspace);
  if (!workspace) return notConfigured('unknown_workspace', `workspace ${row.workspace}`);
  const { task } = parsed.data;
  return {
    row,
    workspace,
    body: parsed.data,
    createdAt: clampedDate(task?.created_at, row.receivedAt),
    updatedAt: clampedDate(task?.updated_at, row.receivedAt),
  };
}

/**
 * A time from outside, never later than the receipt of the delivery: one in the future would make every later result of the product
 * an older one. Null for what is no time, and for one before 1970, which no database may hold.
 */
export function clampedDate(text: string | null | undefined, receivedAt: Date): Date | null {
  if (text === null || text === undefined) return null;
  const ms = new Date(text).getTime();
  return Number.isNaN(ms) || ms < 0 ? null : new Date(Math.min(ms, receivedAt.getTime()));
}

function whereAndWhat(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`)
    .join('; ');
}
