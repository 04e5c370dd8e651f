import { connectionOf } from './connections.js';
import type { Connection, ConnectionArgs } from './connections.js';
import { isMetafieldType } from './metafield-values.js';
import { gid } from './model.js';
import type { Definition } from './model.js';
import type { RequestContext } from './request-context.js';
import { requireScope } from './request-context.js';

interface DefinitionInput {
  readonly ownerType: string;
  readonly namespace?: string | null;
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly pin?: boolean | null;
  readonly validations?: readonly { readonly name: string; readonly value: string }[] | null;
}

/** The store's limit of pinned definitions. */
const MOST_PINNED = 20;
const OWNER_TYPE = 'PRODUCT';

export function metafieldDefinitions(
  args: ConnectionArgs & {
    readonly ownerType: string;
    readonly namespace?: string | null;
    readonly key?: string | null;
  },
  context: RequestContext,
): Connection<object> {
  requireScope(context, 'metafieldDefinitions', 'read_products');
  const found = context.state.definitions().filter(({ namespace, key }) => {
    const isNamed = args.key == null || args.key === key;
    return args.ownerType === OWNER_TYPE && (args.namespace ?? namespace) === namespace && isNamed;
  });
  return connectionOf(found, args, ({ id }) => ({ id, value: id }), view);
}

export function metafieldDefinitionCreate(
  { definition }: { definition: DefinitionInput },
  context: RequestContext,
): object {
  requireScope(context, 'metafieldDefinitionCreate', 'write_products');
  const { state } = context;
  const { key, name, type, pin, validations } = definition;
  const namespace = definition.namespace ?? '';
  const refused = (field: string, code: string, message: string): object => {
    return { createdDefinition: null, userErrors: [{ field: ['definition', field], code, message }] };
  };
  if (definition.ownerType !== OWNER_TYPE)
    return refused('ownerType', 'INCLUSION', 'The sandbox defines metafields of products only.');
  if (!isMetafieldType(type)) return refused('type', 'INCLUSION', `Type ${type} is not a valid type.`);
  if (state.definition(namespace, key))
    return refused('key', 'TAKEN', 'Key is in use for Product metafields on this namespace.');
  if (pin === true && state.definitions().filter((each) => each.pinned).length >= MOST_PINNED)
    return refused('pin', 'PINNED_LIMIT_REACHED', 'Limit of 20 pinned definitions.');
  const others = state.products().flatMap(({ metafields }) => metafields);
  if (others.some((each) => each.namespace === namespace && each.key === key && each.type !== type))
    return refused(
      'type',
      'UNSTRUCTURED_ALREADY_EXISTS',
      'You can’t change the type of a metafield that already exists.',
    );
  const created = state.define({
    ...{ namespace, key, name, type },
    ...{ validations: validations ?? [], pinned: pin ?? false },
  });
  return { createdDefinition: view(created), userErrors: [] };
}

function view({ id, namespace, key, name, type, validations, pinned }: Definition): object {
  return {
    __typename: 'MetafieldDefinition',
    id: gid('MetafieldDefinition', id),
    ...{ namespace, key, name },
    description: null,
    ownerType: OWNER_TYPE,
    pinnedPosition: pinned ? id : null,
    type: { name: type, category: 'TEXT' },
    validations: validations.map((each) => ({ ...each, type: 'single_line_text_field' })),
  };
}
