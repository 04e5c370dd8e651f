import { GraphQLError } from 'graphql';
import { parseGid } from './model.js';

/** The number in a gid of the expected type; RESOURCE_NOT_FOUND for a gid of another type. */
export function requireId(gid: string, type: string): number {
  const parsed = parseGid(gid);
  if (parsed?.type === type) return Number(parsed.id);
  throw new GraphQLError(`Invalid id: ${gid}`, { extensions: { code: 'RESOURCE_NOT_FOUND' } });
}
