import { isMetafieldType, normaliseMetafieldValue } from './metafield-values.js';
import { parseGid } from './model.js';
import type { Metafield, OwnerType, ProductVariant, SandboxProduct } from './model.js';
import { metafieldDigest } from './product-import.js';
import { metafieldView } from './product-view.js';
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

interface MetafieldError {
  /** Path below the entry, such as `value`; null for the entry itself. */
  readonly at: string | null;
  readonly message: string;
  readonly code: string;
}

interface Owner {
  readonly product: SandboxProduct;
  readonly variant: ProductVariant | null;
}

const MAX_ENTRIES = 25;

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
  const views: object[] = [];
  const userErrors: object[] = [];
  for (const [index, input] of metafields.entries()) {
    const owner = ownerOf(context.state, input.ownerId, touched);
    const written = owner
      ? writeMetafield(context.state, ofOwner(owner), input)
      : { at: 'ownerId', message: 'Owner does not exist.', code: 'INVALID' };
    // `elementIndex` stays null, as recorded: the index stands in the path alone.
    if ('at' in written) userErrors.push({ ...written, field: pathOf(index, written), elementIndex: null });
    else if (owner) {
      const { metafield } = written;
      if (!ofOwner(owner).includes(metafield))
        touched.set(
          owner.product.id,
          withMetafields(owner, mergeMetafields(ofOwner(owner), metafield), context.state.now()),
        );
      views.push(metafieldView(metafield, owner.variant ?? owner.product, context));
    }
  }
  if (userErrors.length > 0) return { metafields: [], userErrors };
  for (const product of touched.values()) context.state.put(product);
  return { metafields: views, userErrors: [] };
}

/** `metafieldsDelete`: null in place of what was not there, without an error. */
export function metafieldsDelete(
  { metafields }: { metafields: readonly { ownerId: string; namespace: string; key: string }[] },
  context: RequestContext,
): object {
  requireScope(context, 'metafieldsDelete', 'write_products');
  const { state } = context;
  const deletedMetafields = metafields.map((named) => {
    const owner = ownerOf(state, named.ownerId, new Map());
    const present = owner ? ofOwner(owner) : [];
    const left = present.filter((each) => each.namespace !== named.namespace || each.key !== named.key);
    if (!owner || left.length === present.length) return null;
    state.put(withMetafields(owner, left, state.now()));
    return named;
  });
  return { deletedMetafields, userErrors: [] };
}

/** The metafield as it will stand, the present one where nothing changes; or why it is refused. Stores nothing. */
export function writeMetafield(
  state: ShopState,
  present: readonly Metafield[],
  input: MetafieldsSetInput,
): { metafield: Metafield } | MetafieldError {
  const { key, ownerId } = input;
  const namespace = input.namespace ?? '';
  const known = present.find((each) => each.namespace === namespace && each.key === key);
  const ownerType: OwnerType = parseGid(ownerId)?.type === 'ProductVariant' ? 'PRODUCTVARIANT' : 'PRODUCT';
  const definition = state.definition(ownerType, namespace, key);
  const type = input.type ?? definition?.type ?? known?.type;
  if (type === undefined) return { at: 'type', message: "Type can't be blank", code: 'BLANK' };
  if (!isMetafieldType(type))
    return { at: 'type', message: `Type ${type} is not a valid type.`, code: 'INVALID_TYPE' };
  if (definition !== undefined && definition.type !== type) {
    const message = `Type '${type}' must be consistent with the definition's type: '${definition.type}'.`;
    return { at: 'type', message, code: 'INVALID_TYPE' };
  }
  const normal = normaliseMetafieldValue(type, input.value);
  if (normal === null) return { at: 'value', message: `Value is no ${type}.`, code: 'INVALID_VALUE' };
  // An equal value passes with any digest: it would change nothing.
  if (known?.value === normal && known.type === type) return { metafield: known };
  const digestError = input.compareDigest === undefined ? null : digestErrorOf(known, input.compareDigest);
  if (digestError) return digestError;
  const id = known?.id ?? state.nextId('metafield');
  return { metafield: { id, namespace, key, type, value: normal } };
}

/** The written metafield in place of that of the same namespace and key; a new one goes to the end. */
export function mergeMetafields(present: readonly Metafield[], written: Metafield): Metafield[] {
  return present.some(({ id }) => id === written.id)
    ? present.map((each) => (each.id === written.id ? written : each))
    : [...present, written];
}

function digestErrorOf(known: Metafield | undefined, digest: string | null): MetafieldError | null {
  if (known === undefined && digest !== null)
    return { at: null, message: 'Invalid `compareDigest` value.', code: 'INVALID_COMPARE_DIGEST' };
  if (known === undefined || digest === metafieldDigest(known.value)) return null;
  return {
    at: null,
    message:
      'The resource has been updated since it was loaded. Try again with an updated `compareDigest` value.',
    code: 'STALE_OBJECT',
  };
}

function pathOf(index: number, { at }: MetafieldError): string[] {
  return ['metafields', String(index), ...(at === null ? [] : [at])];
}

function ownerOf(
  state: ShopState,
  ownerGid: string,
  touched: ReadonlyMap<number, SandboxProduct>,
): Owner | null {
  const id = Number(parseGid(ownerGid)?.id);
  const found =
    state.product(id) ?? state.products().find(({ variants }) => variants.some((each) => each.id === id));
  if (!found) return null;
  const product = touched.get(found.id) ?? found;
  return { product, variant: product.variants.find((each) => each.id === id) ?? null };
}

function ofOwner({ product, variant }: Owner): readonly Metafield[] {
  return (variant ?? product).metafields;
}

function withMetafields(
  { product, variant }: Owner,
  metafields: readonly Metafield[],
  changedAt: Date,
): SandboxProduct {
  if (!variant) return { ...product, metafields, changedAt };
  const variants = product.variants.map((each) => (each.id === variant.id ? { ...each, metafields } : each));
  return { ...product, variants, changedAt };
}
