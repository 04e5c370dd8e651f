import { CodedError } from '../domain/errors.js';

/** The row that a request names by an id. Throws `not_found`, and repeats the beginning of the id. */
export function found<Row>(row: Row | null | undefined, what: string, id: string): Row {
  if (row === null || row === undefined) throw new CodedError('not_found', `no ${what} ${id.slice(0, 100)}`);
  return row;
}
