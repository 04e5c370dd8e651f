import { GraphQLError } from 'graphql';
import { PRODUCT_STATUSES, parseGid } from './model.js';
import type { SandboxProduct } from './model.js';
import { textOfHtml } from './product-html.js';
import { describeSearch, parseSearch, termsOf } from './search-query.js';
import type { Comparison, SearchNode, SearchTerm } from './search-query.js';
import type { ShopState } from './state.js';

export interface SearchWarning {
  readonly field: string;
  readonly message: string;
  readonly code: 'invalid_field' | 'invalid_value';
}

export interface ProductSearch {
  readonly matches: (product: SandboxProduct) => boolean;
  readonly warnings: readonly SearchWarning[];
  /** The `parsed` that goes with the warnings. */
  readonly parsed: unknown;
}

/** The zone in which the shop reads times that name none. */
export const SHOP_ZONE = { offset: '-05:00', name: 'America/New_York' } as const;

type Matcher = (product: SandboxProduct) => boolean;
type FieldSearch = (term: SearchTerm, state: ShopState) => Matcher | { readonly warning: string };

const texts = (valuesOf: (product: SandboxProduct) => readonly (string | null)[]): FieldSearch => {
  return (term) => (product) =>
    valuesOf(product).some((value) => value !== null && sameText(value, term.value));
};
const words = (valueOf: (product: SandboxProduct) => string): FieldSearch => {
  return (term) => (product) => hasWords(valueOf(product), term.value);
};
const numbers = (valuesOf: (product: SandboxProduct) => readonly number[]): FieldSearch => {
  return (term) => {
    const wanted = Number(parseGid(term.value)?.id ?? term.value);
    if (term.value === '' || Number.isNaN(wanted)) return { warning: notAccepted(term.value) };
    return (product) => valuesOf(product).some((value) => compares(value - wanted, term.comparison));
  };
};
const times = (valueOf: (product: SandboxProduct, state: ShopState) => Date | null): FieldSearch => {
  return (term, state) => {
    const span = timeSpan(term.value);
    if (!span) return { warning: notAccepted(term.value) };
    return (product) => {
      const at = valueOf(product, state)?.getTime();
      return at !== undefined && withinSpan(at, span, term.comparison);
    };
  };
};
const flags = (valueOf: (product: SandboxProduct) => boolean): FieldSearch => {
  return (term) => {
    const wanted = term.value.toLowerCase();
    if (wanted !== 'true' && wanted !== 'false') return { warning: notAccepted(term.value) };
    return (product) => String(valueOf(product)) === wanted;
  };
};

const FIELDS: Readonly<Record<string, FieldSearch>> = {
  id: numbers((product) => [product.id]),
  variant_id: numbers((product) => product.variants.map((variant) => variant.id)),
  price: numbers((product) => product.variants.map((variant) => Number(variant.price))),
  inventory_total: numbers((product) => [totalInventory(product)]),
  title: words((product) => product.title),
  default: (term) => everywhere(term.value),
  handle: texts((product) => [product.handle]),
  vendor: texts((product) => [product.vendor]),
  product_type: texts((product) => [product.productType]),
  tag: texts((product) => product.tags),
  tag_not: (term) => (product) => !product.tags.some((tag) => sameText(tag, term.value)),
  sku: texts((product) => product.variants.map((variant) => variant.sku)),
  barcode: texts((product) => product.variants.map((variant) => variant.barcode)),
  variant_title: texts((product) => product.variants.map((variant) => variant.title)),
  gift_card: flags((product) => product.isGiftCard),
  has_only_default_variant: flags(hasOnlyDefaultVariant),
  created_at: times((product) => product.createdAt),
  updated_at: times((product, state) => state.updatedAt(product)),
  published_at: times((product) => product.publishedAt),
  status: statusSearch,
  collection_id: numbers((product) => product.collections.map((collection) => collection.id)),
};

/** Real fields of the product search that the sandbox does not answer: an error is better than a wrong result. */
const NOT_IN_SANDBOX = [
  'bundles',
  'category_id',
  'combined_listing_role',
  'delivery_profile_id',
  'error_feedback',
  'has_only_composites',
  'has_variant_with_components',
  'is_price_reduced',
  'out_of_stock_somewhere',
  'product_configuration_owner',
  'product_publication_status',
  'publication_ids',
  'publishable_status',
  'published_status',
  'tracks_inventory',
];

/**
 * A product search. Unknown fields are ignored and everything is found; values that a field does not accept find nothing;
 * the warnings alone say so. Without a `status` term every status is found.
 */
export function searchProducts(query: string, state: ShopState): ProductSearch {
  const warnings: SearchWarning[] = [];
  const node = parseSearch(query);
  const matchers = new Map(termsOf(node).map((term) => [term, termMatcher(term, state, warnings)]));
  return {
    matches: (product) => evaluate(node, (term) => matchers.get(term)?.(product) ?? null) ?? true,
    warnings,
    parsed: describeSearch(node, (term) => describeValue(term)),
  };
}

export function totalInventory(product: SandboxProduct): number {
  return product.variants.reduce(
    (total, variant) => total + (variant.tracked ? variant.inventoryQuantity : 0),
    0,
  );
}

export function hasOnlyDefaultVariant(product: SandboxProduct): boolean {
  const [option] = product.options;
  const only = product.variants.length === 1 && product.options.length === 1;
  return only && option?.name === 'Title' && product.variants[0]?.title === 'Default Title';
}

function termMatcher(term: SearchTerm, state: ShopState, warnings: SearchWarning[]): Matcher | null {
  const field = term.field ?? 'default';
  if (field.startsWith('metafields.')) return metafieldMatcher(field, term.value);
  if (NOT_IN_SANDBOX.includes(field)) {
    throw new GraphQLError(`The sandbox store does not search by ${field}.`, {
      extensions: { code: 'BAD_REQUEST' },
    });
  }
  const search = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
  if (!search) {
    warnings.push({ field, message: 'Invalid search field for this query.', code: 'invalid_field' });
    return null;
  }
  const matcher = search(term, state);
  if (typeof matcher === 'function') return matcher;
  warnings.push({ field, message: matcher.warning, code: 'invalid_value' });
  return () => false;
}

/** Null where every term below is ignored: such a part narrows nothing. */
function evaluate(node: SearchNode, test: (term: SearchTerm) => boolean | null): boolean | null {
  if (node.kind === 'term') return test(node);
  if (node.kind === 'not') {
    const inner = evaluate(node.of, test);
    return inner === null ? null : !inner;
  }
  const parts = node.of.map((part) => evaluate(part, test)).filter((part) => part !== null);
  if (parts.length === 0) return null;
  return node.kind === 'and' ? parts.every(Boolean) : parts.some(Boolean);
}

function statusSearch(term: SearchTerm): Matcher | { warning: string } {
  const wanted = term.value.split(',').map((status) => status.trim().toUpperCase());
  const unknown = wanted.find((status) => !PRODUCT_STATUSES.some((known) => known === status));
  if (unknown !== undefined) return { warning: notAccepted(term.value) };
  return (product) => wanted.includes(product.status);
}

function metafieldMatcher(field: string, value: string): Matcher {
  const [, namespace, key] = field.split('.');
  return (product) =>
    product.metafields.some(
      (each) => each.namespace === namespace && each.key === key && sameText(each.value, value),
    );
}

function everywhere(wanted: string): Matcher {
  return (product) => {
    const variantTexts = product.variants.flatMap((variant) => [variant.sku, variant.barcode, variant.title]);
    const all = [
      product.title,
      product.vendor,
      product.productType,
      product.handle,
      ...product.tags,
      ...variantTexts,
    ];
    return hasWords([...all, textOfHtml(product.descriptionHtml)].join(' '), wanted);
  };
}

function sameText(value: string, wanted: string): boolean {
  const [held, asked] = [value.toLowerCase(), wanted.toLowerCase()];
  if (asked === '*') return held !== '';
  return asked.endsWith('*') ? held.startsWith(asked.slice(0, -1)) : held === asked;
}

/** Every word asked for stands in the text; a word that ends in `*` as the beginning of one. */
function hasWords(text: string, wanted: string): boolean {
  const held = wordsOf(text);
  return wanted.split(/\s+/).every((part) => {
    const asked = wordsOf(part);
    const prefix = part.endsWith('*');
    return asked.every((word) => held.some((each) => (prefix ? each.startsWith(word) : each === word)));
  });
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function compares(difference: number, comparison: Comparison): boolean {
  const results = {
    eq: difference === 0,
    lt: difference < 0,
    lte: difference <= 0,
    gt: difference > 0,
    gte: difference >= 0,
  };
  return results[comparison];
}

interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:\.\d+)?)?)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** The stretch of time that a text names, as exact as it is written: a day, an hour, a minute, a second. Milliseconds. */
function timeSpan(text: string): TimeSpan | null {
  const match = TIME.exec(text.trim());
  if (!match) return null;
  const [, day = '', hour, minute, second, zone = SHOP_ZONE.offset] = match;
  const from = Date.parse(`${day}T${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}${zone}`);
  if (Number.isNaN(from)) return null;
  const lengthSeconds =
    second !== undefined ? 1 : minute !== undefined ? 60 : hour !== undefined ? 3600 : 86_400;
  return { from, to: from + lengthSeconds * 1000 };
}

function withinSpan(at: number, span: TimeSpan, comparison: Comparison): boolean {
  const results = {
    eq: at >= span.from && at < span.to,
    lt: at < span.from,
    lte: at <= span.from,
    gt: at > span.from,
    gte: at >= span.from,
  };
  return results[comparison];
}

/** Times are described as they were understood, in the shop's zone unless the text named one. */
function describeValue(term: SearchTerm): string {
  const span = term.field?.endsWith('_at') ? timeSpan(term.value) : null;
  if (!span) return term.value;
  const zoned = TIME.exec(term.value.trim())?.[5] !== undefined;
  if (zoned) return term.value;
  const offsetMs = Number(SHOP_ZONE.offset.slice(0, 3)) * 3_600_000;
  return new Date(span.from + offsetMs).toISOString().replace('.000Z', SHOP_ZONE.offset);
}

function notAccepted(value: string): string {
  return `Input \`${value}\` is not an accepted value.`;
}
