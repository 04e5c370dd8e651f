import type { ProductStatus, SandboxProduct, TaxonomyCategory } from './model.js';
import { normaliseHtml } from './product-html.js';
import type { ShopState } from './state.js';

export interface UserError {
  readonly field: readonly string[] | null;
  readonly message: string;
}

/** The changeable fields of a product. Absent keys stay unchanged, and null means empty. */
export interface ProductChanges {
  readonly title?: string | null | undefined;
  readonly descriptionHtml?: string | null | undefined;
  readonly vendor?: string | null | undefined;
  readonly productType?: string | null | undefined;
  readonly category?: TaxonomyCategory | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly seo?: SeoChanges | null | undefined;
  readonly status?: ProductStatus | undefined;
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
  if (userErrors.length > 0) return { userErrors };
  const { title, descriptionHtml, vendor, productType, category, tags, seo, status } = changes;
  const changed: SandboxProduct = {
    ...product,
    title: title ?? product.title,
    descriptionHtml:
      descriptionHtml === undefined ? product.descriptionHtml : normaliseHtml(descriptionHtml ?? ''),
    vendor: vendor === undefined ? product.vendor : (vendor ?? ''),
    productType: productType === undefined ? product.productType : (productType ?? ''),
    category: category === undefined ? product.category : category,
    tags: tags === undefined ? product.tags : normaliseTags(tags),
    seoTitle: seo?.title === undefined ? product.seoTitle : emptyToNull(seo.title),
    seoDescription: seo?.description === undefined ? product.seoDescription : emptyToNull(seo.description),
    status: status ?? product.status,
  };
  const isSame = JSON.stringify(changed) === JSON.stringify(product);
  return { product: isSame ? product : { ...changed, changedAt: state.now() } };
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

function tagErrors(tags: readonly string[]): UserError[] {
  return tags.some((tag) => tag.trim().length > MAX_TEXT)
    ? [{ field: ['tags'], message: 'Product tags is invalid' }]
    : [];
}

function lengthErrors({ title, vendor, productType }: ProductChanges): UserError[] {
  if (title?.trim() === '') return [{ field: ['title'], message: "Title can't be blank" }];
  // A product type that is too long gives two errors.
  const limited = [
    ['title', 'Title', title],
    ['vendor', 'Vendor', vendor],
    ['productType', 'Product type', productType],
    ['customProductType', 'Custom product type', productType],
  ] as const;
  return limited
    .filter(([, , value]) => (value ?? '').length > MAX_TEXT)
    .map(([field, name]) => ({
      field: [field],
      message: `${name} is too long (maximum is ${MAX_TEXT} characters)`,
    }));
}

function emptyToNull(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text;
}
