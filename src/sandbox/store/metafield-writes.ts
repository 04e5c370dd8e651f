import { definitionProblem } from './definition-checks.js';
import type { Definition } from './model.js';
import { isMetafieldType, normaliseMetafieldValue } from './metafield-values.js';
import { parseGid } from './model.js';
import type { Metafield, ProductVariant, SandboxProduct } from './model.js';
import { mergeMetafields } from './product-changes.js';
import { metafieldDigest } from './product-import.js';
import { APP_NAMESPACE, metafieldView } from './product-view.js';
import { requireScope } from './request-context.js';
import type { RequestContext } from './request-context.js';
import type { ShopState } from './state.js';

export interface MetafieldsSetInput {
  readonly ownerId: string;
  readonly namespace?: string | null;
  readonly key: string;
  readonly type?: string | null;
  readonly value: string;
  /** Absent: write whatever is there. Null: nothing may be there yet. */
  readonly compareDigest?: string | null;
}

export interface MetafieldError {
  /** Path below the entry, such as `value`; null for the entry itself. */
  readonly at: string | null;
  readonly message: string;
  readonly code: string | null;
}

interface Owner {
  readonly product: SandboxProduct;
  readonly variant: ProductVariant | null;
}

const MAX_ENTRIES = 25;
const RESERVED_NAMESPACES = ['shopify_standard', 'protected', 'shopify-l10n-fields'];

/** `metafieldsSet`: all entries or none. */
export function metafieldsSet(
  { metafields }: { metafields: readonly MetafieldsSetInput[] },
  context: RequestContext,
): object {
  requireScope(context, 'metafieldsSet', 'write_products');
  if (metafields.length > MAX_ENTRIES) {
    const message = `Exceeded the maximum metafields input limit of ${MAX_ENTRIES}.`;
    return {
      metafields: null,
      userErrors: [{ field: ['metafields'], message, code: 'LESS_THAN_OR_EQUAL_TO', elementIndex: null }],
    };
  }
  // Each entry sees those before it, so that a key that is repeated is written twice and the last one wins.
  const touched = new Map<number, SandboxProduct>();
  const views: (() => object)[] = [];
  const userErrors: object[] = [];
  for (const [index, input] of metafields.entries()) {
    const owner = ownerOf(context.state, input.ownerId, touched);
    const ownerType = owner?.variant ? 'PRODUCTVARIANT' : 'PRODUCT';
    const defined = definitionOf(context.state, input, ownerType);
    const written = owner
      ? writeMetafield(context.state, metafieldsOf(owner), input, defined)
      : ownerMissing();
    if ('at' in written) userErrors.push(userErrorOf(written, index));
    else if (owner) {
      touched.set(
        owner.product.id,
        withWritten(owner, [written.metafield], written.changed ? context.state.now() : null),
      );
      views.push(() => metafieldView(written.metafield, viewedOwner(owner), context));
    }
  }
  if (userErrors.length > 0) return { metafields: [], userErrors };
  for (const product of touched.values()) {
    if (product !== context.state.product(product.id)) context.state.put(product);
  }
  return { metafields: views.map((view) => view()), userErrors: [] };
}

/** `metafieldsDelete`: null in place of what was not there, without an error. */
export function metafieldsDelete(
  { metafields }: { metafields: readonly { ownerId: string; namespace: string; key: string }[] },
  context: RequestContext,
): object {
  requireScope(context, 'metafieldsDelete', 'write_products');
  const deletedMetafields = metafields.map((identifier) => {
    const owner = ownerOf(context.state, identifier.ownerId, new Map());
    const isMeant = (each: Metafield): boolean =>
      each.namespace === identifier.namespace && each.key === identifier.key;
    if (!owner || !metafieldsOf(owner).some(isMeant)) return null;
    const left = metafieldsOf(owner).filter((each) => !isMeant(each));
    context.state.put(withAllMetafields(owner, left, context.state.now()));
    return identifier;
  });
  return { deletedMetafields, userErrors: [] };
}

/** The metafield as it will stand, and whether that is a change; or why it is refused. Stores nothing. */
export function writeMetafield(
  state: ShopState,
  present: readonly Metafield[],
  input: MetafieldsSetInput,
  definition: Definition | undefined,
): { metafield: Metafield; changed: boolean } | MetafieldError {
  const namespace = namespaceOf(input.namespace);
  const known = present.find((each) => each.namespace === namespace && each.key === input.key);
  const nameError = namespaceError(namespace) ?? keyError(input.key);
  if (nameError) return nameError;
  const type = input.type ?? definition?.type ?? known?.type;
  if (type === undefined) return { at: 'type', message: "Type can't be blank", code: 'BLANK' };
  if (!isMetafieldType(type))
    return { at: 'type', message: `Type ${type} is not a valid type.`, code: 'INVALID_TYPE' };
  if (definition !== undefined && definition.type !== type) {
    const message = `Type '${type}' must be consistent with the definition's type: '${definition.type}'.`;
    return { at: 'type', message, code: 'INVALID_TYPE' };
  }
  const normal = normaliseMetafieldValue(type, input.value);
  if ('problem' in normal) return { at: 'value', message: normal.problem, code: 'INVALID_VALUE' };
  const broken = definition === undefined ? null : definitionProblem(definition, normal.value);
  if (broken !== null) return { at: 'value', message: broken, code: 'INVALID_VALUE' };

  // An equal value passes with any digest: it would change nothing.
  if (known?.value === normal.value && known.type === type) return { metafield: known, changed: false };
  if (input.compareDigest !== undefined) {
    const problem = digestError(known, input.compareDigest);
    if (problem) return problem;
  }
  const now = state.now();
  const kept = { id: known?.id ?? state.nextId('metafield'), createdAt: known?.createdAt ?? now };
  return {
    metafield: { ...kept, namespace, key: input.key, type, value: normal.value, changedAt: now },
    changed: true,
  };
}

/** The definition that holds for a metafield. */
export function definitionOf(
  state: ShopState,
  { namespace, key }: Pick<MetafieldsSetInput, 'namespace' | 'key'>,
  ownerType: Definition['ownerType'] = 'PRODUCT',
): Definition | undefined {
  return state.definition(ownerType, namespaceOf(namespace), key);
}

function digestError(known: Metafield | undefined, digest: string | null): MetafieldError | null {
  if (!known) {
    return digest === null
      ? null
      : { at: null, message: 'Invalid `compareDigest` value.', code: 'INVALID_COMPARE_DIGEST' };
  }
  if (digest === metafieldDigest(known.value)) return null;
  return {
    at: null,
    message:
      'The resource has been updated since it was loaded. Try again with an updated `compareDigest` value.',
    code: 'STALE_OBJECT',
  };
}

/** `$app` and `$app:x` stand for the app's own namespace. */
function namespaceOf(given: string | null | undefined): string {
  if (given === null || given === undefined || given === '$app') return APP_NAMESPACE;
  return given.startsWith('$app:') ? `${APP_NAMESPACE}--${given.slice('$app:'.length)}` : given;
}

function namespaceError(namespace: string): MetafieldError | null {
  if (RESERVED_NAMESPACES.includes(namespace)) {
    return { at: 'namespace', message: `Namespace ${namespace} is a reserved namespace`, code: null };
  }
  if (namespace.startsWith('app--') && !namespace.startsWith(APP_NAMESPACE)) {
    return {
      at: null,
      message: 'Access to this namespace and key on Metafields for this resource type is not allowed.',
      code: 'APP_NOT_AUTHORIZED',
    };
  }
  return lengthError('namespace', namespace, 3, 255);
}

function keyError(key: string): MetafieldError | null {
  return lengthError('key', key, 2, 64);
}

function lengthError(at: 'namespace' | 'key', text: string, min: number, max: number): MetafieldError | null {
  const name = at === 'key' ? 'Key' : 'Namespace';
  if (text.length < min)
    return { at, message: `${name} is too short (minimum is ${min} characters)`, code: 'TOO_SHORT' };
  if (text.length > max)
    return { at, message: `${name} is too long (maximum is ${max} characters)`, code: 'TOO_LONG' };
  return null;
}

function ownerMissing(): MetafieldError {
  return { at: 'ownerId', message: 'Owner does not exist.', code: 'INVALID' };
}

/** `elementIndex` stays null, as recorded: the index stands in the path alone. */
function userErrorOf({ at, message, code }: MetafieldError, index: number): object {
  return {
    field: ['metafields', String(index), ...(at === null ? [] : [at])],
    message,
    code,
    elementIndex: null,
  };
}

function ownerOf(
  state: ShopState,
  ownerGid: string,
  touched: ReadonlyMap<number, SandboxProduct>,
): Owner | null {
  const parsed = parseGid(ownerGid);
  const id = Number(parsed?.id);
  const current = (product: SandboxProduct): SandboxProduct => touched.get(product.id) ?? product;
  if (parsed?.type === 'Product') {
    const product = state.product(id);
    return product ? { product: current(product), variant: null } : null;
  }
  if (parsed?.type !== 'ProductVariant') return null;
  for (const product of state.products()) {
    const variant = current(product).variants.find((each) => each.id === id);
    if (variant) return { product: current(product), variant };
  }
  return null;
}

function viewedOwner({ product, variant }: Owner): Parameters<typeof metafieldView>[1] {
  return variant ? { type: 'PRODUCTVARIANT', gid: variant.gid } : { type: 'PRODUCT', gid: product.gid };
}

function metafieldsOf({ product, variant }: Owner): readonly Metafield[] {
  return variant ? variant.metafields : product.metafields;
}

function withWritten(owner: Owner, written: readonly Metafield[], changedAt: Date | null): SandboxProduct {
  if (changedAt === null) return owner.product;
  return withAllMetafields(owner, mergeMetafields(metafieldsOf(owner), written), changedAt);
}

function withAllMetafields(
  { product, variant }: Owner,
  metafields: readonly Metafield[],
  now: Date,
): SandboxProduct {
  if (!variant) return { ...product, metafields, changedAt: now };
  const variants = product.variants.map((each) =>
    each.id === variant.id ? { ...each, metafields, changedAt: now } : each,
  );
  return { ...product, variants, changedAt: now };
}
