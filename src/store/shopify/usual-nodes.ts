import { z } from 'zod';
import {
  weightText,
  type exportLineSchema,
  type mediaSchema,
  type metafieldSchema,
  type productCoreSchema,
  type variantMediaSchema,
  type variantSchema,
} from './schemas.js';

/**
 * Nodes of an export in their usual form, read without zod, which takes most of the time of a full run otherwise. Each function returns
 * what its schema returns, or null where only the schema can say what a node is. A member that may be missing is null then.
 */
type Usual<Schema extends z.ZodType> = (node: unknown) => z.infer<Schema> | null;

const PRODUCT_ID = /^gid:\/\/shopify\/Product\/\d+$/;
const VARIANT_ID = /^gid:\/\/shopify\/ProductVariant\/\d+$/;
const DATE_TIME = z.core.regexes.datetime({ offset: true });
/** Addresses that a parser of URLs leaves as they are: a domain of letters, without Punycode and without a port. */
const ADDRESS = /^https?:\/\/(?:[a-z\d]+(?:-[a-z\d]+)*\.)+[a-z]{2,}\/[\w./?=&%-]*$/;

export const usualPlace: Usual<typeof exportLineSchema> = (node) => {
  if (!isObject(node)) return null;
  const { __typename: kind, id, __parentId: parent } = node;
  if (typeof kind !== 'string' || typeof id !== 'string') return null;
  if (parent == null) return { kind, id, parent: null };
  return typeof parent === 'string' ? { kind, id, parent } : null;
};

export const usualCore: Usual<typeof productCoreSchema> = (node) => {
  if (!isObject(node)) return null;
  const { id, title, handle, status, tags, isGiftCard, updatedAt } = node;
  const descriptionHtml = textIn(node, 'descriptionHtml');
  const vendor = textIn(node, 'vendor');
  const productType = textIn(node, 'productType');
  const onlineStoreUrl = textIn(node, 'onlineStoreUrl');
  const category = categoryIn(node);
  const seo = seoIn(node);
  const options = listIn(node, 'options', optionOf);
  if (descriptionHtml === undefined || vendor === undefined || productType === undefined) return null;
  if (onlineStoreUrl === undefined || category === undefined || seo === undefined || options === null)
    return null;
  if (typeof id !== 'string' || !PRODUCT_ID.test(id)) return null;
  if (typeof title !== 'string' || typeof handle !== 'string' || !isStatus(status)) return null;
  if (!Array.isArray(tags) || !tags.every(isText)) return null;
  if (isGiftCard != null && typeof isGiftCard !== 'boolean') return null;
  if (typeof updatedAt !== 'string' || !isUsualTime(updatedAt)) return null;
  return {
    id,
    title,
    handle,
    descriptionHtml,
    vendor,
    productType,
    tags,
    status,
    isGiftCard: isGiftCard === true,
    updatedAt,
    onlineStoreUrl,
    category,
    seo,
    options,
  };
};

export const usualVariant: Usual<typeof variantSchema> = (node) => {
  if (!isObject(node)) return null;
  const { id, title, position } = node;
  const sku = textIn(node, 'sku');
  const barcode = textIn(node, 'barcode');
  const inventoryItem = weightIn(node);
  const metafield1 = memberIn(node, 'metafield1', usualMetafield);
  const metafield2 = memberIn(node, 'metafield2', usualMetafield);
  const selectedOptions = listIn(node, 'selectedOptions', choiceOf);
  if (sku === undefined || barcode === undefined || inventoryItem === undefined) return null;
  if (metafield1 === undefined || metafield2 === undefined || selectedOptions === null) return null;
  // An export has the media of a variant in lines of their own.
  if (node['media'] != null) return null;
  if (typeof id !== 'string' || !VARIANT_ID.test(id)) return null;
  if (typeof title !== 'string' || !isInteger(position)) return null;
  return {
    id,
    title,
    sku,
    barcode,
    position,
    selectedOptions,
    inventoryItem,
    metafield1,
    metafield2,
    media: null,
  };
};

export const usualMetafield: Usual<typeof metafieldSchema> = (node) => {
  if (!isObject(node)) return null;
  const { namespace, key, type, value } = node;
  return isText(namespace) && isText(key) && isText(type) && isText(value)
    ? { namespace, key, type, value }
    : null;
};

export const usualMedia: Usual<typeof mediaSchema> = (node) => {
  if (!isObject(node)) return null;
  const { id } = node;
  const image = memberIn(node, 'image', ({ url }) => (isText(url) && isUsualAddress(url) ? { url } : null));
  return isText(id) && image !== undefined ? { id, image } : null;
};

export const usualVariantMedia: Usual<typeof variantMediaSchema> = (node) => {
  if (!isObject(node)) return null;
  const { id, __parentId } = node;
  return isText(id) && isText(__parentId) && VARIANT_ID.test(__parentId) ? { id, __parentId } : null;
};

function optionOf({
  name,
  position,
  optionValues,
}: Node): z.infer<typeof productCoreSchema>['options'][number] | null {
  if (!isText(name) || !(position == null || isInteger(position))) return null;
  const values = listOf(optionValues, ({ name: value }) => (isText(value) ? { name: value } : null));
  return values === null ? null : { name, position, optionValues: values };
}

function choiceOf({ name, value }: Node): { name: string; value: string } | null {
  return isText(name) && isText(value) ? { name, value } : null;
}

function categoryIn(node: Node): { fullName: string | null } | null | undefined {
  return memberIn(node, 'category', (category) => {
    const fullName = textIn(category, 'fullName');
    return fullName === undefined ? null : { fullName };
  });
}

function seoIn(node: Node): { title: string | null; description: string | null } | null | undefined {
  return memberIn(node, 'seo', (seo) => {
    const title = textIn(seo, 'title');
    const description = textIn(seo, 'description');
    return title === undefined || description === undefined ? null : { title, description };
  });
}

function weightIn({ inventoryItem }: Node): string | null | undefined {
  if (inventoryItem == null) return null;
  if (!isObject(inventoryItem)) return undefined;
  const { measurement } = inventoryItem;
  if (measurement == null) return null;
  if (!isObject(measurement)) return undefined;
  const { weight } = measurement;
  if (weight == null) return null;
  if (!isObject(weight)) return undefined;
  const { value, unit } = weight;
  return typeof value === 'number' && Number.isFinite(value) && isText(unit)
    ? weightText({ value, unit })
    : undefined;
}

type Node = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for an address that a parser of URLs leaves as it is. */
export function isUsualAddress(url: string): boolean {
  return ADDRESS.test(url);
}

/** True for a time as the schema of a product accepts it. */
export function isUsualTime(time: string): boolean {
  return DATE_TIME.test(time);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isStatus(value: unknown): value is z.infer<typeof productCoreSchema>['status'] {
  return value === 'ACTIVE' || value === 'DRAFT' || value === 'ARCHIVED' || value === 'UNLISTED';
}

/** A text, with the empty one as null; undefined where it is neither a text nor missing. */
function textIn(node: Node, name: string): string | null | undefined {
  const value = node[name];
  if (value == null || value === '') return null;
  return typeof value === 'string' ? value : undefined;
}

/** A member that may be missing; undefined where it is not of its usual form. */
function memberIn<T>(node: Node, name: string, read: (member: Node) => T | null): T | null | undefined {
  const member = node[name];
  if (member == null) return null;
  return isObject(member) ? (read(member) ?? undefined) : undefined;
}

function listIn<T>(node: Node, name: string, read: (member: Node) => T | null): T[] | null {
  return listOf(node[name], read);
}

/** Null where the value is no list, or one of its members is not of the usual form. */
function listOf<T>(value: unknown, read: (member: Node) => T | null): T[] | null {
  if (!Array.isArray(value)) return null;
  const members: T[] = [];
  for (const each of value as readonly unknown[]) {
    const member = isObject(each) ? read(each) : null;
    if (member === null) return null;
    members.push(member);
  }
  return members;
}
