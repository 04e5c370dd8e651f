import { GraphQLError } from 'graphql';
import type { ExportWindow } from './bulk-export.js';
import type { BulkOperations } from './bulk-operations.js';
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
  readonly mutations: MutationEntry[];
  /** Search warnings of this request, for the answer's extensions. */
  readonly searches: SearchReport[];
  /** Set while an export is evaluated: `products` gives this part, and nested connections give all of their items. */
  readonly exportWindow: ExportWindow | null;
}

/** A mutation that ran. */
export interface MutationEntry {
  /** Name of the mutation field, such as `productUpdate`. */
  readonly name: string;
  /** Arguments as the API understood them. */
  readonly input: unknown;
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
