/**
 * The scopes of a token. An API token is promised for the product endpoints only
 * (docs/catalog-rules.md#authentication).
 */
export const SCOPES = ['products', 'tasks', 'settings'] as const;
export type Scope = (typeof SCOPES)[number];

export function isScope(value: string): value is Scope {
  return SCOPES.some((scope) => scope === value);
}
