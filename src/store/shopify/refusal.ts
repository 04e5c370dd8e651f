import type { UserError } from './schemas.js';

/**
 * The index of the entry that an error names, as in ["metafields", "3", "value"]. `elementIndex` may be missing, or
 * may index a list within a value.
 */
export function entryIndex(error: Pick<UserError, 'field'>): number | null {
  const place = error.field?.[1];
  return place !== undefined && /^\d{1,3}$/.test(place) ? Number(place) : null;
}

/** The store's messages by field, without the name of the argument, which means nothing to people. */
export function refusalDetails(errors: readonly UserError[]): { fields?: Record<string, string[]> } {
  if (errors.length === 0) return {};
  const fields = new Map<string, string[]>();
  for (const { field, message } of errors) {
    const path = (field ?? []).filter((part, index) => index > 0 || (part !== 'input' && part !== 'product'));
    const name = path.length === 0 ? 'product' : path.join('.');
    fields.set(name, [...(fields.get(name) ?? []), message]);
  }
  return { fields: Object.fromEntries(fields) };
}
