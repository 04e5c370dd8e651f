import { CodedError } from '../../domain/errors.js';
import type { ImportedProduct } from './csv.js';
import type { Definition } from './model.js';
import { definitionOf, writeMetafield } from './metafield-writes.js';
import { isMetafieldType } from './metafield-values.js';
import type { MetafieldsSetInput } from './metafield-writes.js';
import { parseGid } from './model.js';
import type { ProductVariant, SandboxProduct } from './model.js';
import { changeProduct, mergeMetafields } from './product-changes.js';
import type { ProductChanges } from './product-changes.js';
import { importProduct } from './product-import.js';
import type { ShopState } from './state.js';

/** The merchant's changes by hand. Variants are named by their id; metafields are set without any digest. */
export interface MerchantEdit extends ProductChanges {
  readonly published?: boolean;
  readonly metafields?: readonly Omit<MetafieldsSetInput, 'ownerId' | 'compareDigest'>[];
  readonly variants?: readonly VariantEdit[];
}

export interface VariantEdit {
  readonly id: string | number;
  readonly sku?: string | null;
  readonly barcode?: string | null;
  readonly price?: string;
  readonly metafields?: MerchantEdit['metafields'];
}

/** A product id: its gid or its number. */
export type ProductRef = string | number;

/**
 * The merchant's own hands on the shop: reads and edits beside the API, at once and unthrottled. They are normalised and
 * announced by webhooks as any write, and stand in no ledger. Throws `not_found` for a product that does not exist,
 * `invalid` for an edit that the store would refuse.
 */
export class Merchant {
  constructor(private readonly state: ShopState) {}

  list(): SandboxProduct[] {
    return this.state.products();
  }

  /** Undefined when there is no such product. */
  get(ref: ProductRef): SandboxProduct | undefined {
    return this.state.product(numberOf(ref));
  }

  byHandle(handle: string): SandboxProduct | undefined {
    return this.state.productByHandle(handle);
  }

  /** Puts a product in; one of the same handle is overwritten. */
  create(
    product: Partial<ImportedProduct> & { readonly title: string; readonly handle: string },
  ): SandboxProduct {
    const withDefaults = { ...BLANK, ...product };
    return importProduct(this.state, withDefaults);
  }

  merchantEdit(ref: ProductRef, edit: MerchantEdit): SandboxProduct {
    const product = this.required(ref);
    const { published, metafields, variants, ...changes } = edit;
    const changed = changeProduct(this.state, product, changes);
    if ('userErrors' in changed) {
      throw new CodedError('invalid', changed.userErrors.map((error) => error.message).join('; '));
    }
    let edited = changed.product;
    for (const input of metafields ?? []) {
      const defined = definitionOf(this.state, input);
      const entry = { ...input, ownerId: product.gid };
      const written = writeMetafield(this.state, edited.metafields, entry, defined);
      if ('at' in written) throw new CodedError('invalid', written.message);
      edited = { ...edited, metafields: mergeMetafields(edited.metafields, [written.metafield]) };
    }
    const now = this.state.now();
    if (variants)
      edited = {
        ...edited,
        variants: edited.variants.map((variant) => this.editedVariant(variant, variants, now)),
      };
    if (published !== undefined)
      edited = { ...edited, publishedAt: published ? (edited.publishedAt ?? now) : null };
    edited = { ...edited, changedAt: now };
    this.state.put(edited);
    return edited;
  }

  /** Defines a metafield, of products by default. The type must be one that the store knows. */
  define(definition: Pick<Definition, 'namespace' | 'key' | 'type'> & Partial<Definition>): Definition {
    const { namespace, key, type, name = key, validations = [], pinned = false } = definition;
    const { ownerType = 'PRODUCT' } = definition;
    if (!isMetafieldType(type)) throw new CodedError('invalid', `the store knows no type ${type}`);
    return this.state.define({ ownerType, namespace, key, type, name, validations, pinned });
  }

  /** Puts a category into the taxonomy, which else has those that products use. */
  category(fullName: string): void {
    this.state.categoryNamed(fullName);
  }

  definitions(): readonly Definition[] {
    return this.state.definitions();
  }

  delete(ref: ProductRef): void {
    this.state.remove(this.required(ref));
  }

  archive(ref: ProductRef): SandboxProduct {
    return this.merchantEdit(ref, { status: 'ARCHIVED' });
  }

  private editedVariant(variant: ProductVariant, edits: readonly VariantEdit[], now: Date): ProductVariant {
    const edit = edits.find(({ id }) => numberOf(id) === variant.id);
    if (!edit) return variant;
    const { sku = variant.sku, barcode = variant.barcode, price = variant.price } = edit;
    let { metafields } = variant;
    for (const input of edit.metafields ?? []) {
      const defined = definitionOf(this.state, input, 'PRODUCTVARIANT');
      const written = writeMetafield(this.state, metafields, { ...input, ownerId: variant.gid }, defined);
      if ('at' in written) throw new CodedError('invalid', written.message);
      metafields = mergeMetafields(metafields, [written.metafield]);
    }
    return { ...variant, sku, barcode, price, metafields, changedAt: now };
  }

  private required(ref: ProductRef): SandboxProduct {
    const product = this.get(ref);
    if (!product) throw new CodedError('not_found', `the shop has no product ${ref}`);
    return product;
  }
}

const BLANK: Omit<ImportedProduct, 'title' | 'handle'> = {
  descriptionHtml: '',
  vendor: '',
  productType: '',
  category: null,
  tags: [],
  published: true,
  status: 'ACTIVE',
  seoTitle: null,
  seoDescription: null,
  templateSuffix: null,
  isGiftCard: false,
  collection: null,
  optionNames: ['Title'],
  variants: [
    {
      optionValues: ['Default Title'],
      sku: null,
      barcode: null,
      price: '0.00',
      compareAtPrice: null,
      weight: null,
      tracked: false,
      inventoryQuantity: 0,
      unitCost: null,
      imageUrl: null,
    },
  ],
  images: [],
  metafields: [],
};

function numberOf(ref: ProductRef): number {
  return typeof ref === 'number' ? ref : Number(parseGid(ref)?.id ?? ref);
}
