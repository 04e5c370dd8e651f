import { z } from 'zod';
import { CodedError } from '../domain/errors.js';

/**
 * The data of every job: the id of its row, and nothing else. The row decides whether there is work, so a repeated,
 * late or outdated job is harmless. The queue contains nothing confidential.
 */
export const RowJob = z.strictObject({ id: z.string().min(1).max(200) });
export type RowJob = z.infer<typeof RowJob>;

/** The id of a job's row. Throws `invalid` for data that no job of ours has. */
export function rowIdOf(job: { readonly data: unknown }): string {
  const parsed = RowJob.safeParse(job.data);
  if (parsed.success) return parsed.data.id;
  throw new CodedError('invalid', 'a job whose data is not one id', { cause: parsed.error });
}
