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
const OWNER_TYPES: readonly string[] = ['PRODUCT', 'PRODUCTVARIANT'] satisfies Definition['ownerType'][];

export function metafieldDefinitions(
  args: ConnectionArgs & {
    readonly ownerType: string;
    readonly namespace?: string | null;
    readonly key?: string | null;
  },
  context: RequestContext,
): Connection<object> {
  requireScope(context, 'metafieldDefinitions', 'read_products');
  const found = context.state.definitions().filter(({ ownerType, namespace, key }) => {
    const isNamed = args.key == null || args.key === key;
    return args.ownerType === ownerType && (args.namespace ?? namespace) === namespace && isNamed;
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
  const { ownerType } = definition;
  if (!isOwnerType(ownerType))
    return refused('ownerType', 'INCLUSION', 'The sandbox defines metafields of products and variants only.');
  if (!isMetafieldType(type)) return refused('type', 'INCLUSION', `Type ${type} is not a valid type.`);
  if (state.definition(ownerType, namespace, key))
    return refused('key', 'TAKEN', 'Key is in use for Product metafields on this namespace.');
  const pinned = state.definitions().filter((each) => each.pinned && each.ownerType === ownerType);
  if (pin === true && pinned.length >= MOST_PINNED)
    return refused('pin', 'PINNED_LIMIT_REACHED', 'Limit of 20 pinned definitions.');
  const others = state
    .products()
    .flatMap(({ metafields, variants }) =>
      ownerType === 'PRODUCT' ? metafields : variants.flatMap((variant) => variant.metafields),
    );
  if (others.some((each) => each.namespace === namespace && each.key === key && each.type !== type))
    return refused(
      'type',
      'UNSTRUCTURED_ALREADY_EXISTS',
      'You can’t change the type of a metafield that already exists.',
    );
  const created = state.define({
    ownerType,
    namespace,
    key,
    name,
    type,
    validations: validations ?? [],
    pinned: pin ?? false,
  });
  return { createdDefinition: view(created), userErrors: [] };
}

function isOwnerType(text: string): text is Definition['ownerType'] {
  return OWNER_TYPES.includes(text);
}

function view({ id, ownerType, namespace, key, name, type, validations, pinned }: Definition): object {
  return {
    __typename: 'MetafieldDefinition',
    id: gid('MetafieldDefinition', id),
    namespace,
    key,
    name,
    description: null,
    ownerType,
    pinnedPosition: pinned ? id : null,
    type: { name: type, category: 'TEXT' },
    validations: validations.map((each) => ({ ...each, type: 'single_line_text_field' })),
  };
}
