import { z } from 'zod';
import { CodedError } from '../../domain/errors.js';
import type { ReadScope } from './api-types.js';
import { productExternalId, variantExternalId } from '../../domain/external-id.js';
import type {
  MetafieldValue,
  ProductSnapshot,
  SourceTranslations,
  TranslatedText,
  VariantSnapshot,
} from '../../domain/snapshot.js';
import {
  mediaSchema,
  metafieldSchema,
  productCoreSchema,
  translationsSchema,
  variantMediaSchema,
  variantSchema,
} from './schemas.js';

/** The node of a product and the nodes of its children, as the store returned them, with texts that a database can hold. */
export interface RawProduct {
  readonly core: unknown;
  readonly variants: readonly unknown[];
  readonly media: readonly unknown[];
  readonly metafields: readonly unknown[];
  /** The media of the variants, where the variants' own nodes do not hold them. */
  readonly variantMedia?: readonly unknown[];
}

/** One product breaks the interface. The products beside it can be read. */
export class MalformedProductError extends CodedError {
  constructor(message: string, details: { readonly cause?: unknown } = {}) {
    super('transient', message, details);
  }
}

type Core = z.infer<typeof productCoreSchema>;
type Variant = z.infer<typeof variantSchema>;
type Medium = z.infer<typeof mediaSchema>;

/**
 * The snapshot of a product. Throws `transient` with the id when any part breaks the interface, because an
 * incomplete product would look like an edit.
 */
export function toSnapshot(raw: RawProduct, scope: ReadScope): ProductSnapshot {
  const core = parseNode(productCoreSchema, raw.core);
  const variants = raw.variants.map((variant) => parseNode(variantSchema, variant));
  const media = raw.media.map((item) => parseNode(mediaSchema, item));
  const metafields = metafieldsOf(raw.metafields, scope);
  const imagesOf = variantImages(raw, media);
  const productId = numericId(core.id);
  const snapshot = {
    externalId: productExternalId(scope.identity, productId),
    storeId: core.id,
    status: core.status,
    handle: core.handle,
    title: core.title,
    descriptionHtml: core.descriptionHtml,
    vendor: core.vendor,
    productType: core.productType,
    category: core.category?.fullName ?? null,
    tags: core.tags,
    isGiftCard: core.isGiftCard,
    url: core.onlineStoreUrl,
    seoTitle: core.seo?.title ?? null,
    seoDescription: core.seo?.description ?? null,
    options: optionsOf(core),
    imageUrls: imageUrlsOf(media),
    metafields,
    hasOnlyDefaultVariant: isDefaultOnly(core, variants),
    variants: inOrder(variants).map((variant) =>
      toVariant(variant, productId, scope.identity, imagesOf(variant)),
    ),
  };
  return scope.locales.length === 0 ? snapshot : { ...snapshot, translations: translationsOf(raw.core) };
}

/** An image that is still being processed has no address yet. It arrives with a later change. */
function imageUrlsOf(media: readonly Medium[]): string[] {
  const addresses: string[] = [];
  for (const { image } of media) if (image != null) addresses.push(image.url);
  return addresses;
}

function metafieldsOf(nodes: readonly unknown[], { locales }: ReadScope): MetafieldValue[] {
  const fields: MetafieldValue[] = [];
  for (const node of nodes) {
    const field = parseNode(metafieldSchema, node);
    if (field.value === '') continue;
    const translations = locales.length === 0 ? null : metafieldTranslations(node);
    fields.push(translations === null ? field : { ...field, translations });
  }
  return fields;
}

/** The store's keys of the texts that are source in every language. */
const TRANSLATION_KEYS: Readonly<Record<string, TranslatedText>> = {
  title: 'title',
  body_html: 'descriptionHtml',
};
const TRANSLATION_FIELD = /^translation\d+$/;

/** The texts in further languages; null where the node was read without them. */
function translationsOf(raw: unknown): SourceTranslations | null {
  const translations = translationsIn(raw);
  if (translations === null) return null;
  const byLocale = new Map<string, Partial<Record<TranslatedText, string>>>();
  for (const { locale, key, value } of translations) {
    const field = TRANSLATION_KEYS[key];
    if (field !== undefined) byLocale.set(locale, { ...byLocale.get(locale), [field]: value });
  }
  return Object.fromEntries(byLocale);
}

/** The translations of a metafield's value by locale; null without any. */
function metafieldTranslations(raw: unknown): Readonly<Record<string, string>> | null {
  const translations = translationsIn(raw);
  const values = (translations ?? []).flatMap(({ locale, key, value }) =>
    key === 'value' ? [[locale, value] as const] : [],
  );
  return values.length === 0 ? null : Object.fromEntries(values);
}

/** The translations of a node that hold a text; null where the node was read without translations. */
function translationsIn(
  node: unknown,
): { readonly locale: string; readonly key: string; readonly value: string }[] | null {
  const fields = Object.entries(node ?? {}).filter(([name]) => TRANSLATION_FIELD.test(name));
  if (fields.length === 0) return null;
  return fields.flatMap(([, list]) =>
    parseNode(translationsSchema, list).flatMap(({ locale, key, value }) =>
      value == null || value === '' ? [] : [{ locale, key, value }],
    ),
  );
}
/** The start of a variant's global id; its number follows. */
export const VARIANT_GID = 'gid://shopify/ProductVariant/';

/** The digits at the end of a global id, which the store promises not to change. */
export function numericId(gid: string): string {
  return gid.slice(gid.lastIndexOf('/') + 1);
}

/** The value of a node. Throws `MalformedProductError` with the node's id when it has another shape. */
export function parseNode<T>(schema: z.ZodType<T>, node: unknown): T {
  const parsed = schema.safeParse(node);
  if (parsed.success) return parsed.data;
  const id = z.object({ id: z.string() }).safeParse(node);
  const issue = parsed.error.issues[0];
  const what = issue === undefined ? 'unreadable' : `${issue.path.join('.')}: ${issue.message}`;
  throw new MalformedProductError(`malformed product data, ${id.success ? id.data.id : 'no id'} (${what})`, {
    cause: parsed.error,
  });
}

/**
 * The addresses of a variant's image. A variant refers to a medium of its product by id; the first one counts, so that
 * an export and a page agree.
 */
function variantImages(
  { variantMedia = [] }: RawProduct,
  media: readonly Medium[],
): (variant: Variant) => string[] {
  const addresses = new Map(media.map(({ id, image }) => [id, image?.url]));
  const exported = Map.groupBy(
    variantMedia.map((item) => parseNode(variantMediaSchema, item)),
    ({ __parentId }) => __parentId,
  );
  return (variant) => {
    const [first] = variant.media?.nodes ?? exported.get(variant.id) ?? [];
    const address = first === undefined ? undefined : addresses.get(first.id);
    return address === undefined ? [] : [address];
  };
}

function toVariant(
  variant: Variant,
  productId: string,
  identity: string,
  imageUrls: readonly string[],
): VariantSnapshot {
  return {
    externalId: variantExternalId(identity, productId, numericId(variant.id)),
    storeId: variant.id,
    title: variant.title,
    sku: variant.sku,
    barcode: variant.barcode,
    options: variant.selectedOptions,
    weight: variant.inventoryItem,
    imageUrls,
    metafields: variantMetafields(variant),
  };
}

function variantMetafields({ metafield1, metafield2 }: Variant): MetafieldValue[] {
  const fields: MetafieldValue[] = [];
  for (const field of [metafield1, metafield2]) if (field != null && field.value !== '') fields.push(field);
  return fields;
}

function inOrder<T extends { readonly position?: number | null }>(members: readonly T[]): readonly T[] {
  return members.toSorted((one, other) => (one.position ?? 0) - (other.position ?? 0));
}

function optionsOf(core: Core): ProductSnapshot['options'] {
  return inOrder(core.options).map((option) => ({
    name: option.name,
    values: option.optionValues.map((value) => value.name),
  }));
}

/** The store gives a product without options one option and one variant with exactly these names, in every language. */
function isDefaultOnly(core: Core, variants: readonly Variant[]): boolean {
  const [variant, ...more] = variants;
  const [choice, ...others] = variant?.selectedOptions ?? [];
  if (choice === undefined || more.length > 0 || others.length > 0 || core.options.length > 1) return false;
  return choice.name === 'Title' && choice.value === 'Default Title';
}
