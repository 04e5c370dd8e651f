import type { Metafield, ProductStatus, SandboxProduct, TaxonomyCategory } from './model.js';
import { normaliseHtml, slug } from './product-html.js';
import type { ShopState } from './state.js';

export interface UserError {
  readonly field: readonly string[] | null;
  readonly message: string;
}

/** The changeable fields of a product. Absent keys stay unchanged, and null means empty. */
export interface ProductChanges {
  readonly title?: string | null | undefined;
  readonly handle?: string | null | undefined;
  readonly descriptionHtml?: string | null | undefined;
  readonly vendor?: string | null | undefined;
  readonly productType?: string | null | undefined;
  readonly category?: TaxonomyCategory | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly seo?: SeoChanges | null | undefined;
  readonly status?: ProductStatus | null | undefined;
  readonly templateSuffix?: string | null | undefined;
}

export interface SeoChanges {
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
}

const MAX_TEXT = 255;

/**
 * The product with the changes in it, normalised as the store does, or the reasons why it refuses them all. Stores
 * nothing. Equal values give the same record back: such a write changes no time and sends no event.
 */
export function changeProduct(
  state: ShopState,
  product: SandboxProduct,
  changes: ProductChanges,
): { product: SandboxProduct } | { userErrors: UserError[] } {
  const userErrors = [...lengthErrors(changes), ...tagErrors(changes.tags ?? [])];
  const handle = handleOf(state, product, changes.handle);
  if (typeof handle !== 'string') userErrors.push(handle);
  if (userErrors.length > 0 || typeof handle !== 'string') return { userErrors };

  const changed: SandboxProduct = {
    ...product,
    handle,
    title: changes.title ?? product.title,
    descriptionHtml: kept(changes.descriptionHtml, product.descriptionHtml, (html) =>
      normaliseHtml(html ?? ''),
    ),
    vendor: kept(changes.vendor, product.vendor, (vendor) => vendor ?? ''),
    productType: kept(changes.productType, product.productType, (type) => type ?? ''),
    category: changes.category === undefined ? product.category : changes.category,
    tags: kept(changes.tags, product.tags, (tags) => normaliseTags(tags ?? [])),
    seoTitle: kept(changes.seo?.title, product.seoTitle, emptyToNull),
    seoDescription: kept(changes.seo?.description, product.seoDescription, emptyToNull),
    status: changes.status ?? product.status,
    templateSuffix: kept(changes.templateSuffix, product.templateSuffix, emptyToNull),
  };
  return { product: sameContent(changed, product) ? product : { ...changed, changedAt: state.now() } };
}

/** Trimmed, without empty ones, first spelling kept, sorted regardless of case. */
export function normaliseTags(tags: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const tag of tags.map((each) => each.trim())) {
    if (tag !== '' && !byKey.has(tag.toLowerCase())) byKey.set(tag.toLowerCase(), tag);
  }
  return [...byKey]
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    .map(([, tag]) => tag);
}

export function tagErrors(tags: readonly string[]): UserError[] {
  return tags.some((tag) => tag.trim().length > MAX_TEXT)
    ? [{ field: ['tags'], message: 'Product tags is invalid' }]
    : [];
}

/** The written metafields in place of those of the same namespace and key; new ones go to the end. */
export function mergeMetafields(present: readonly Metafield[], written: readonly Metafield[]): Metafield[] {
  const nameOf = (metafield: Metafield): string => `${metafield.namespace}.${metafield.key}`;
  const byName = new Map(present.map((metafield) => [nameOf(metafield), metafield]));
  for (const metafield of written) byName.set(nameOf(metafield), metafield);
  return [...byName.values()];
}

/** A free handle made of the text, counted up where it is taken; `product` where the text leaves none. */
export function freeHandle(state: ShopState, wanted: string, ownId: number | null): string {
  const base = slug(wanted) || 'product';
  const isFree = (handle: string): boolean => {
    const owner = state.productByHandle(handle);
    return !owner || owner.id === ownId;
  };
  if (isFree(base)) return base;
  let count = 1;
  while (!isFree(`${base}-${count}`)) count += 1;
  return `${base}-${count}`;
}

function handleOf(
  state: ShopState,
  product: SandboxProduct,
  wanted: string | null | undefined,
): string | UserError {
  if (wanted === undefined || wanted === null || wanted.trim() === '') return product.handle;
  const handle = slug(wanted);
  if (handle === '') return freeHandle(state, '', product.id);
  const owner = state.productByHandle(handle);
  if (!owner || owner.id === product.id) return handle;
  return {
    field: ['input', 'handle'],
    message: `Handle '${handle}' already in use. Please provide a new handle.`,
  };
}

function lengthErrors(changes: ProductChanges): UserError[] {
  const errors: UserError[] = [];
  if (changes.title?.trim() === '') errors.push({ field: ['title'], message: "Title can't be blank" });
  const limited = [
    ['title', 'Title', changes.title],
    ['handle', 'Handle', changes.handle],
    ['vendor', 'Vendor', changes.vendor],
    ['productType', 'Product type', changes.productType],
    ['customProductType', 'Custom product type', changes.productType],
  ] as const;
  for (const [field, name, value] of limited) {
    if ((value ?? '').length <= MAX_TEXT) continue;
    errors.push({ field: [field], message: `${name} is too long (maximum is ${MAX_TEXT} characters)` });
  }
  return errors;
}

function kept<Given, Kept>(given: Given | undefined, present: Kept, convert: (given: Given) => Kept): Kept {
  return given === undefined ? present : convert(given);
}

function emptyToNull(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text;
}

function sameContent(left: SandboxProduct, right: SandboxProduct): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
