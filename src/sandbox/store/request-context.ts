import { GraphQLError } from 'graphql';
import type { BulkOperations } from './bulk-operations.js';
import type { ExportWindow } from './export-window.js';
import type { MutationEntry } from './ledger.js';
import type { SearchWarning } from './product-search.js';
import type { ShopState } from './state.js';
import type { WebhookSubscriptions } from './webhook-subscriptions.js';

/** The context of one request's resolvers. */
export interface RequestContext {
  readonly state: ShopState;
  readonly scopes: ReadonlySet<string>;
  readonly apiVersion: string;
  readonly bulk: BulkOperations;
  readonly webhooks: WebhookSubscriptions;
  /** Search warnings of this request, for the answer's extensions. */
  readonly searches: SearchReport[];
  /** Mutation fields that ran, in their order. */
  readonly mutations: MutationEntry[];
  /** Set while an export is evaluated: root connections give this part of their items, nested ones all. */
  readonly exportWindow: ExportWindow | null;
}

export interface SearchReport {
  readonly path: readonly (string | number)[];
  readonly query: string;
  readonly parsed: unknown;
  readonly warnings: readonly SearchWarning[];
}

/** Throws ACCESS_DENIED unless the app has one of the scopes; writing implies reading. */
export function requireScope(context: RequestContext, field: string, ...scopes: string[]): void {
  if (
    scopes.some((scope) => context.scopes.has(scope) || context.scopes.has(scope.replace(/^read_/, 'write_')))
  )
    return;
  const required = scopes.map((scope) => `\`${scope}\` access scope`).join(' or ');
  throw new GraphQLError(`Access denied for ${field} field. Required access: ${required}.`, {
    extensions: {
      code: 'ACCESS_DENIED',
      documentation: 'https://shopify.dev/api/usage/access-scopes',
      requiredAccess: `${required}.`,
    },
  });
}
