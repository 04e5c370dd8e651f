import { GraphQLError } from 'graphql';
import { parseGid, requireId } from './model.js';
import type { ProductStatus, SandboxProduct, TaxonomyCategory } from './model.js';
import { changeProduct } from './product-changes.js';
import type { ProductChanges } from './product-changes.js';
import { slug } from './product-html.js';
import { BLANK, importProduct } from './product-import.js';
import { mediaView, productView } from './product-view.js';
import { requireScope } from './request-context.js';
import type { RequestContext } from './request-context.js';

interface NewProduct {
  readonly title?: string | null;
  readonly descriptionHtml?: string | null;
  readonly vendor?: string | null;
  readonly status?: ProductStatus | null;
}

interface ProductInput extends Omit<ProductChanges, 'category' | 'tags' | 'status'> {
  readonly id?: string | null;
  readonly category?: string | null;
}

const MAX_ALT = 512;
const NO_PRODUCT = { product: null, userErrors: [{ field: ['id'], message: 'Product does not exist' }] };

/** `productCreate`: a product with the variant that every product has. */
export function productCreate(args: { product?: NewProduct | null }, context: RequestContext): object {
  requireScope(context, 'productCreate', 'write_products');
  const { title, descriptionHtml, vendor, status } = args.product ?? {};
  if (typeof title !== 'string' || title.trim() === '')
    return { product: null, userErrors: [{ field: ['title'], message: "Title can't be blank" }] };
  const created = importProduct(context.state, {
    ...BLANK,
    title: title.trim(),
    handle: freeHandle(title, context),
    descriptionHtml: descriptionHtml ?? '',
    vendor: vendor ?? context.state.shop.split('.')[0] ?? '',
    status: status ?? 'ACTIVE',
  });
  return { product: productView(created, context), userErrors: [] };
}

export function productDelete({ input }: { input: { id: string } }, context: RequestContext): object {
  requireScope(context, 'productDelete', 'write_products');
  const product = context.state.product(requireId(input.id, 'Product'));
  if (!product) return NO_PRODUCT;
  context.state.remove(product);
  return { userErrors: [] };
}

/** `productUpdate`: all of it or nothing; a refusal answers with the product as it stands. */
export function productUpdate(args: { product?: ProductInput | null }, context: RequestContext): object {
  requireScope(context, 'productUpdate', 'write_products');
  const { id, category, ...changes } = args.product ?? {};
  const product = id ? context.state.product(requireId(id, 'Product')) : undefined;
  if (!product) return NO_PRODUCT;
  const changed = changeProduct(context.state, product, {
    ...changes,
    category: categoryOf(category, context),
  });
  if ('userErrors' in changed)
    return { product: productView(product, context), userErrors: changed.userErrors };
  if (changed.product !== product) context.state.put(changed.product);
  return { product: productView(changed.product, context), userErrors: [] };
}

/** `tagsAdd` and `tagsRemove`. */
export function changeTags(
  { id, tags }: { id: string; tags: readonly string[] },
  context: RequestContext,
  direction: 'add' | 'remove',
): object {
  requireScope(context, direction === 'add' ? 'tagsAdd' : 'tagsRemove', 'write_products');
  const product = context.state.product(requireId(id, 'Product'));
  if (!product) return { node: null, userErrors: NO_PRODUCT.userErrors };
  const given = tags.flatMap((tag) => tag.split(',')).map((tag) => tag.trim());
  const lowered = given.map((tag) => tag.toLowerCase());
  const wanted =
    direction === 'add'
      ? [...product.tags, ...given]
      : product.tags.filter((tag) => !lowered.includes(tag.toLowerCase()));
  const changed = changeProduct(context.state, product, { tags: wanted });
  if ('userErrors' in changed) return { node: productView(product, context), userErrors: changed.userErrors };
  if (changed.product !== product) context.state.put(changed.product);
  return { node: productView(changed.product, context), userErrors: [] };
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
      const message = `File id ${id} does not exist.`;
      return [{ field: [...field, 'id'], message, code: 'FILE_DOES_NOT_EXIST' }];
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

/** An unknown category is an error of the whole field, without user errors. */
function categoryOf(
  given: string | null | undefined,
  { state }: RequestContext,
): TaxonomyCategory | null | undefined {
  if (given === undefined || given === null) return given;
  const category = state.category(given);
  if (category) return category;
  throw new GraphQLError(`The product taxonomy node ID ${given} is invalid.`, {
    extensions: { code: 'INVALID_PRODUCT_TAXONOMY_NODE_ID' },
  });
}

function freeHandle(title: string, { state }: RequestContext): string {
  const wanted = slug(title) || 'product';
  for (let number = 0; ; number += 1) {
    const handle = number === 0 ? wanted : `${wanted}-${number}`;
    if (!state.productByHandle(handle)) return handle;
  }
}

function ownerOfImage(id: string, context: RequestContext): SandboxProduct | undefined {
  return context.state.products().find((product) => product.media.some((image) => image.id === imageId(id)));
}

function imageId(id: string): number {
  const parsed = parseGid(id);
  return parsed?.type === 'MediaImage' ? Number(parsed.id) : Number.NaN;
}
