import type { DefinitionsView } from '../../src/planner/defined-value.js';
import type { IdentityView } from '../../src/planner/identity.js';
import { type MetafieldKey, metafieldTarget } from '../../src/domain/metafield-key.js';
import type { LiveProduct, LiveValue, StoreField } from '../../src/domain/store-port.js';
import { placeOfTarget, translationTarget } from '../../src/domain/write-target.js';
import type { LiveTranslations } from '../../src/store/shopify/api-types.js';
import { translatedValue } from '../../src/store/shopify/target-reader.js';
import type { MetafieldValue, ProductSnapshot, VariantSnapshot } from '../../src/domain/snapshot.js';
import type { MappingSettings, WriteBackSettings } from '../../src/domain/store-settings.js';
import type { IntendedValue } from '../../src/domain/write-back-journal.js';
import { fingerprint } from '../../src/domain/fingerprint.js';
import { valueHash, type WrittenField } from '../../src/domain/written-content.js';
import type { LinkView, PlannedChange, ProductPlan } from '../../src/planner/plan-product.js';
import { fieldHashes, toCatalogBody } from '../../src/planner/map-to-catalog.js';
import { planProduct } from '../../src/planner/plan-product.js';
import type { FieldDecision } from '../../src/planner/field-verdict.js';
import { decideFields, type WriteBackContext } from '../../src/planner/plan-write-back.js';
import {
  effectiveSnapshot,
  seenFields,
  sourceFingerprint,
  sourceRules,
  type SourceRules,
} from '../../src/planner/source.js';

/**
 * Defaults for everything that a test leaves open: a published bottle with one default variant, in the shop
 * `example`.
 */
export const SHOP = 'example.myshopify.com';

export function externalId(productId = '1', variantId?: string): string {
  return ['shopify', SHOP, productId, ...(variantId === undefined ? [] : [variantId])].join(':');
}

export function variant(over: Partial<VariantSnapshot> & { readonly id?: string } = {}): VariantSnapshot {
  const { id = '11', ...rest } = over;
  return {
    externalId: externalId('1', id),
    storeId: `gid://shopify/ProductVariant/${id}`,
    title: 'Default Title',
    sku: 'BOT-1',
    barcode: '4006381333931',
    options: [],
    weight: null,
    imageUrls: [],
    metafields: [],
    ...rest,
  };
}

export function snapshot(over: Partial<ProductSnapshot> = {}): ProductSnapshot {
  return {
    externalId: externalId(),
    storeId: 'gid://shopify/Product/1',
    status: 'ACTIVE',
    handle: 'bottle',
    title: 'Bottle',
    descriptionHtml: '<p>Holds a litre.</p>',
    vendor: 'Acme',
    productType: 'Bottles',
    category: null,
    tags: ['steel'],
    isGiftCard: false,
    url: `https://${SHOP}/products/bottle`,
    seoTitle: null,
    seoDescription: null,
    options: [],
    imageUrls: ['https://cdn.example.com/1.jpg'],
    metafields: [],
    hasOnlyDefaultVariant: true,
    variants: [variant()],
    ...over,
  };
}

export function metafield(name: string, value: string, type = 'single_line_text_field'): MetafieldValue {
  const [namespace = '', key = ''] = name.split('.');
  return { namespace, key, type, value };
}

export const writeBackSettings: WriteBackSettings = {
  mode: 'auto',
  onConflict: 'skip',
  fields: { name: 'title', html_description: 'descriptionHtml' },
  attributes: {},
  variants: {},
  definitions: 'none',
  sections: { namespace: 'catalog' },
  locales: [],
  keep: ['img', 'iframe', 'video', 'table'],
  imageHosts: [],
  gates: {
    title: { maxLength: 0 },
    descriptionHtml: { minLength: 0, maxLength: 0 },
    forbid: [],
    numbers: false,
    language: false,
    shrink: 0,
    onFail: 'review',
  },
};

/** The mapping of a store whose configuration says nothing about it. */
export const DEFAULT_MAPPING: MappingSettings = {
  openAttributes: [],
  mpn: '',
  asin: '',
  brand: 'auto',
  sourceUrl: '',
  referenceString: '',
  productLists: [],
  tags: {},
};

export function rules(
  mapping: Partial<MappingSettings> = {},
  writeBack: Partial<WriteBackSettings> = {},
): SourceRules {
  return sourceRules(SHOP, { ...DEFAULT_MAPPING, ...mapping }, { ...writeBackSettings, ...writeBack });
}

/** The link of a product that was pushed as `pushed` shows it. */
export function linkOf(
  pushed: ProductSnapshot,
  over: Partial<LinkView> = {},
  under: SourceRules = rules(),
): LinkView {
  const effective = effectiveSnapshot(pushed, over.written ?? null);
  return {
    externalId: pushed.externalId,
    state: 'linked',
    catalogId: '70',
    sourceFingerprint: sourceFingerprint(effective, under),
    pushedFields: fieldHashes(toCatalogBody(effective, under)),
    written: null,
    withheld: [],
    creating: false,
    writing: false,
    goneFromCatalog: false,
    isElsewhere: false,
    ...over,
  };
}

/** The plan as a change; fails the test when there is nothing to do. */
export function changeOf(plan: ProductPlan): PlannedChange {
  if (plan.kind === 'unchanged' || plan.kind === 'put_off')
    throw new Error(`a change was expected, the plan is ${plan.kind}`);
  return plan;
}

/** The creation of a product that the catalog has never seen. */
export function creationOf(product: ProductSnapshot, under: SourceRules = rules()): PlannedChange {
  return changeOf(planProduct(product, null, under, new Set()));
}

/** A metafield with the token that guards it. */
export interface LiveMetafield extends MetafieldValue, MetafieldKey {
  readonly digest: string;
}

/** A product as a read for its fields and metafields finds it. */
export function live(
  fields: Partial<Record<StoreField, string | null>> = {},
  metafields: readonly LiveMetafield[] = [],
): LiveProduct {
  const { title, descriptionHtml, vendor, productType } = snapshot();
  const seo = { 'seo.title': null, 'seo.description': null };
  const all = { title, descriptionHtml, vendor, productType, ...seo, category: null, ...fields };
  const values = new Map<string, LiveValue>(
    Object.entries(all).map(([field, value]) => [field, { value, token: null, type: null }]),
  );
  for (const field of metafields)
    values.set(metafieldTarget(field), { value: field.value, token: field.digest, type: field.type });
  return { storeId: 'gid://shopify/Product/1', status: 'ACTIVE', values };
}

/** The same with the translations of these targets, as the store holds them. */
export function translated(
  product: LiveProduct,
  translations: ReadonlyMap<string, LiveTranslations>,
  bases: readonly string[],
): LiveProduct {
  const own = [...translations].flatMap(([locale, found]) =>
    bases.map((base) => [translationTarget(locale, base), translatedValue(base, found)] as const),
  );
  return { ...product, values: new Map([...product.values, ...own]) };
}

export function intended(over: Partial<IntendedValue> = {}): IntendedValue {
  return { target: 'title', value: 'Generated', type: null, from: 'name', raw: 'Generated', ...over };
}

/** The entry of a field in which `text` of ours stands for the merchant's `replaced`, and `past` texts of ours stood before. */
export function ourText(text: string, replaced: string | null, ...past: string[]): WrittenField {
  return { ours: fingerprint(text), past: past.map(fingerprint), replaced };
}

/** The entry of a field in which nothing of ours stands any more. */
export function revertedText(text: string, replaced: string | null): WrittenField {
  return { ours: null, past: [fingerprint(text)], replaced };
}

export const NO_DEFINITIONS: DefinitionsView = {
  known: { product: new Map(), variant: new Map() },
  freeText: false,
  create: false,
  matches: () => null,
};

export const NO_OTHER_OWNERS: IdentityView = {
  owners: new Map(),
  holders: [],
  ownCatalogId: null,
  contested: new Set(),
  known: new Map(),
  mayAdopt: true,
};

/** A result whose source was read when the store held what `snapshot()` says, and nothing was ever written. */
export function writeBackContext(over: Partial<WriteBackContext> = {}): WriteBackContext {
  return {
    seen: seenFields(snapshot()),
    written: {},
    pushedValues: { name: valueHash('Bottle') },
    onConflict: 'skip',
    released: false,
    sentBefore: {},
    newerTargets: new Set(),
    isMapped: () => true,
    keep: [],
    pictureHosts: [],
    definitions: NO_DEFINITIONS,
    categories: new Map(),
    ...over,
  };
}

/** The planner's decision about one value. */
export function decide(
  value: IntendedValue,
  product: LiveProduct = live(),
  {
    translations = new Map<string, LiveTranslations>(),
    ...context
  }: Partial<WriteBackContext> & { readonly translations?: ReadonlyMap<string, LiveTranslations> } = {},
): FieldDecision {
  const found = translated(product, translations, [placeOfTarget(value.target).base]);
  const [decision] = decideFields([value], found, writeBackContext(context));
  if (decision === undefined) throw new Error('one value, one decision');
  return decision;
}
