import { z } from 'zod';
import { CodedError } from '../domain/errors.js';

/**
 * What every job carries: which row to look at, and nothing else. The row decides whether there is anything to do, so a job that comes
 * twice, late or for a row that is gone does no harm; and nothing that a queue keeps in clear text is worth reading.
 */
export const RowJob = z.strictObject({ id: z.string().min(1).max(200) });
export type RowJob = z.infer<typeof RowJob>;

/** The id of a job's row. Throws `invalid` for data that no jobs of ours has put there. */
export function rowIdOf(job: { readonly data: unknown }): string {
  const parsed = RowJob.safeParse(job.data);
  if (parsed.success) return parsed.data.id;
  throw new CodedError('invalid', 'a job whose data is not one id', { cause: parsed.error });
}
