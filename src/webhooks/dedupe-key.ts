import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readUntrustedJson } from '../runtime/untrusted-json.js';

const keySchema = z.looseObject({
  action: z.string().min(1),
  product: z.looseObject({ id: z.union([z.string().min(1), z.number()]) }),
  task: z.looseObject({ id: z.union([z.string().min(1), z.number()]) }),
});

const actionSchema = z.looseObject({ action: z.string().min(1).max(200) });

/**
 * The identity of a delivery (docs/decisions/0008-a-4xx-is-final.md): action, product id and task id, or the body's
 * hash where one of them is missing or the body cannot be read. Never throws: whatever was signed can be stored.
 */
export function dedupeKey(rawBody: Uint8Array): { key: string; action: string | null } {
  const body = readUntrustedJson(rawBody);
  const value = body.ok ? body.value : null;
  const action = actionSchema.safeParse(value);
  const named = keySchema.safeParse(value);
  const key = named.success
    ? `${named.data.action}:${String(named.data.product.id)}:${String(named.data.task.id)}`
    : `sha256:${createHash('sha256').update(rawBody).digest('hex')}`;
  return {
    key: key.length > 500 ? `sha256:${createHash('sha256').update(key).digest('hex')}` : key,
    action: action.data?.action ?? null,
  };
}
