import { GraphQLError } from 'graphql';
import { definitionOf, writeMetafield } from './metafield-writes.js';
import type { Metafield, ProductStatus, SandboxProduct, TaxonomyCategory } from './model.js';
import { parseGid } from './model.js';
import { changeProduct, mergeMetafields, tagErrors } from './product-changes.js';
import type { SeoChanges, UserError } from './product-changes.js';
import { mediaView, productView } from './product-view.js';
import { requireScope } from './request-context.js';
import { requireId } from './require-id.js';
import type { RequestContext } from './request-context.js';

interface ProductInput {
  readonly id?: string | null;
  readonly title?: string | null;
  readonly handle?: string | null;
  readonly descriptionHtml?: string | null;
  readonly vendor?: string | null;
  readonly productType?: string | null;
  readonly category?: string | null;
  readonly tags?: readonly string[] | null;
  readonly seo?: SeoChanges | null;
  readonly status?: ProductStatus | null;
  readonly templateSuffix?: string | null;
  readonly metafields?: readonly MetafieldInput[] | null;
}

interface MetafieldInput {
  readonly namespace?: string | null;
  readonly key?: string | null;
  readonly type?: string | null;
  readonly value?: string | null;
}

const MAX_ALT = 512;

/** `productUpdate`: all of it or nothing; a refusal answers with the product as it stands. */
export function productUpdate(
  args: { product?: ProductInput | null; input?: ProductInput | null },
  context: RequestContext,
): object {
  requireScope(context, 'productUpdate', 'write_products');
  const input = args.product ?? args.input ?? {};
  const product = input.id ? context.state.product(requireId(input.id, 'Product')) : undefined;
  if (!product) return { product: null, userErrors: [{ field: ['id'], message: 'Product does not exist' }] };

  const { id: _id, metafields, category, ...changes } = input;
  const changed = changeProduct(context.state, product, {
    ...changes,
    category: categoryOf(category, context),
  });
  const written = writeMetafields(product, metafields ?? [], context);
  const userErrors = [...('userErrors' in changed ? changed.userErrors : []), ...written.userErrors];
  if ('userErrors' in changed || userErrors.length > 0)
    return { product: productView(product, context), userErrors };

  const updated = written.changed
    ? { ...changed.product, metafields: written.metafields, changedAt: context.state.now() }
    : changed.product;
  if (updated !== product) context.state.put(updated);
  return { product: productView(updated, context), userErrors: [] };
}

/** `tagsAdd` and `tagsRemove`. */
export function changeTags(
  { id, tags }: { id: string; tags: readonly string[] },
  context: RequestContext,
  direction: 'add' | 'remove',
): object {
  requireScope(context, direction === 'add' ? 'tagsAdd' : 'tagsRemove', 'write_products');
  const product = context.state.product(requireId(id, 'Product'));
  if (!product) return { node: null, userErrors: [{ field: ['id'], message: 'Product does not exist' }] };
  const given = tags.flatMap((tag) => tag.split(',')).map((tag) => tag.trim());
  const errors = tagErrors(given);
  if (errors.length > 0) return { node: productView(product, context), userErrors: errors };
  const lowered = given.map((tag) => tag.toLowerCase());
  const wanted =
    direction === 'add'
      ? [...product.tags, ...given]
      : product.tags.filter((tag) => !lowered.includes(tag.toLowerCase()));
  const changed = changeProduct(context.state, product, { tags: wanted });
  const updated = 'product' in changed ? changed.product : product;
  if (updated !== product) context.state.put(updated);
  return { node: productView(updated, context), userErrors: [] };
}

/** `fileUpdate`, of images' alternative texts: all entries or none. */
export function fileUpdate(
  { files }: { files: readonly { id: string; alt?: string | null }[] },
  context: RequestContext,
): object {
  requireScope(context, 'fileUpdate', 'write_files', 'write_themes');
  const userErrors = files.flatMap(({ id, alt }, index) => {
    const field = ['files', String(index)];
    if (!ownerOfImage(id, context)) {
      return [
        { field: [...field, 'id'], message: `File id ${id} does not exist.`, code: 'FILE_DOES_NOT_EXIST' },
      ];
    }
    if ((alt ?? '').length <= MAX_ALT) return [];
    const message = `The alt value exceeds the maximum limit of ${MAX_ALT} characters.`;
    return [{ field: [...field, 'alt'], message, code: 'ALT_VALUE_LIMIT_EXCEEDED' }];
  });
  if (userErrors.length > 0) return { files: [], userErrors };
  const views = files.flatMap(({ id, alt }) => {
    const owner = ownerOfImage(id, context);
    const image = owner?.media.find((each) => each.id === imageId(id));
    if (!owner || !image) return [];
    const changed = alt === undefined ? image : { ...image, alt: alt === '' ? null : alt };
    const media = owner.media.map((each) => (each.id === image.id ? changed : each));
    if (changed.alt !== image.alt) context.state.put({ ...owner, media, changedAt: context.state.now() });
    return [mediaView(changed)];
  });
  return { files: views, userErrors: [] };
}

function writeMetafields(
  product: SandboxProduct,
  inputs: readonly MetafieldInput[],
  context: RequestContext,
): { metafields: readonly Metafield[]; changed: boolean; userErrors: UserError[] } {
  let metafields = product.metafields;
  let changed = false;
  const userErrors: UserError[] = [];
  for (const [index, { namespace, key, type, value }] of inputs.entries()) {
    const entry = {
      ownerId: product.gid,
      namespace: namespace ?? null,
      key: key ?? '',
      type: type ?? null,
      value: value ?? '',
    };
    const written = writeMetafield(context.state, metafields, entry, definitionOf(context.state, entry));
    if ('at' in written) {
      const field = ['metafields', String(index), ...(written.at === null ? [] : [written.at])];
      userErrors.push({ field, message: written.message });
    } else {
      metafields = mergeMetafields(metafields, [written.metafield]);
      changed ||= written.changed;
    }
  }
  return { metafields, changed, userErrors };
}

/** An unknown category is an error of the whole field, without user errors. */
function categoryOf(
  given: string | null | undefined,
  context: RequestContext,
): TaxonomyCategory | null | undefined {
  if (given === undefined || given === null) return given;
  const category = context.state.category(given);
  if (category) return category;
  throw new GraphQLError(`The product taxonomy node ID ${given} is invalid.`, {
    extensions: { code: 'INVALID_PRODUCT_TAXONOMY_NODE_ID' },
  });
}

function ownerOfImage(id: string, context: RequestContext): SandboxProduct | undefined {
  return context.state.products().find((product) => product.media.some((image) => image.id === imageId(id)));
}

function imageId(id: string): number {
  const parsed = parseGid(id);
  return parsed?.type === 'MediaImage' ? Number(parsed.id) : Number.NaN;
}
