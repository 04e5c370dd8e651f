import type { FindOptionsWhere, ObjectLiteral, Repository } from 'typeorm';
import { z } from 'zod';
import { counted } from './row-reader.js';

const stateCounts = z.array(z.object({ state: z.string(), count: counted }));

/** How many rows are in each state; a state without rows is absent. */
export async function countByState<E extends ObjectLiteral>(
  repository: Repository<E>,
  where: FindOptionsWhere<E> = {},
): Promise<Record<string, number>> {
  const rows: unknown = await repository
    .createQueryBuilder('entry')
    .select('entry.state', 'state')
    .addSelect('count(*)', 'count')
    .where(where)
    .groupBy('entry.state')
    .getRawMany();
  return Object.fromEntries(stateCounts.parse(rows).map(({ state, count }) => [state, count]));
}
