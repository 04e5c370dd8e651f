import { connectionOf } from './connections.js';
import type { Connection, ConnectionArgs } from './connections.js';
import { isMetafieldType } from './metafield-values.js';
import { gid } from './model.js';
import type { Definition, OwnerType } from './model.js';
import { requireScope } from './request-context.js';
import type { RequestContext } from './request-context.js';

interface DefinitionInput {
  readonly ownerType: OwnerType;
  readonly namespace?: string | null;
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly pin: boolean;
}

/** The store's limit of pinned definitions. */
const MOST_PINNED = 20;

export function metafieldDefinitions(
  args: ConnectionArgs & { readonly ownerType: OwnerType; readonly namespace?: string | null },
  context: RequestContext,
): Connection<object> {
  requireScope(context, 'metafieldDefinitions', 'read_products');
  const found = context.state
    .definitions()
    .filter(
      ({ ownerType, namespace }) =>
        args.ownerType === ownerType && (args.namespace ?? namespace) === namespace,
    );
  return connectionOf(found, args, ({ id }) => ({ id, value: id }), view);
}

export function metafieldDefinitionCreate(
  { definition }: { definition: DefinitionInput },
  context: RequestContext,
): object {
  requireScope(context, 'metafieldDefinitionCreate', 'write_products');
  const { state } = context;
  const { ownerType, key, name, type, pin } = definition;
  const namespace = definition.namespace ?? '';
  const refused = (field: string, code: string, message: string): object => {
    return { createdDefinition: null, userErrors: [{ field: ['definition', field], code, message }] };
  };
  if (!isMetafieldType(type)) return refused('type', 'INCLUSION', `Type ${type} is not a valid type.`);
  if (state.definition(ownerType, namespace, key))
    return refused('key', 'TAKEN', 'Key is in use for Product metafields on this namespace.');
  const pinned = state.definitions().filter((each) => each.pinned && each.ownerType === ownerType);
  if (pin && pinned.length >= MOST_PINNED)
    return refused('pin', 'PINNED_LIMIT_REACHED', 'Limit of 20 pinned definitions.');
  const created = state.define({ ownerType, namespace, key, name, type, validations: [], pinned: pin });
  return { createdDefinition: view(created), userErrors: [] };
}

function view({ id, namespace, key, type, validations }: Definition): object {
  return { id: gid('MetafieldDefinition', id), namespace, key, type: { name: type }, validations };
}
