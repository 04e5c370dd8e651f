import type { FindOptionsWhere, ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';
import { counted } from './rows.js';

const counts = z.array(z.object({ value: z.string(), count: counted }));

/** How many rows of a query have each value of an expression; a value without rows is absent. */
export async function countedBy<E extends ObjectLiteral>(
  query: SelectQueryBuilder<E>,
  expression: string,
): Promise<Record<string, number>> {
  const rows: unknown = await query
    .select(expression, 'value')
    .addSelect('count(*)', 'count')
    .groupBy(expression)
    .getRawMany();
  return Object.fromEntries(counts.parse(rows).map(({ value, count }) => [value, count]));
}

/** How many rows are in each state; a state without rows is absent. */
export async function countByState<E extends ObjectLiteral>(
  repository: Repository<E>,
  where: FindOptionsWhere<E> = {},
): Promise<Record<string, number>> {
  return countedBy(repository.createQueryBuilder('entry').where(where), 'entry.state');
}
