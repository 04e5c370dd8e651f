import { CodedError } from '../../../src/domain/errors.js';
import type { ImportedProduct } from '../../../src/sandbox/store/csv.js';
import { isMetafieldType } from '../../../src/sandbox/store/metafield-values.js';
import { mergeMetafields, writeMetafield } from '../../../src/sandbox/store/metafield-writes.js';
import type { MetafieldsSetInput } from '../../../src/sandbox/store/metafield-writes.js';
import { parseGid } from '../../../src/sandbox/store/model.js';
import type {
  Definition,
  Metafield,
  ProductVariant,
  SandboxProduct,
} from '../../../src/sandbox/store/model.js';
import { changeProduct } from '../../../src/sandbox/store/product-changes.js';
import type { ProductChanges } from '../../../src/sandbox/store/product-changes.js';
import { BLANK, importProduct } from '../../../src/sandbox/store/product-import.js';
import type { ShopState } from '../../../src/sandbox/store/state.js';

type MetafieldEdits = readonly Omit<MetafieldsSetInput, 'ownerId' | 'compareDigest'>[];

/** The merchant's changes by hand. Variants are named by their id; metafields are set without any digest. */
export interface MerchantEdit extends ProductChanges {
  readonly metafields?: MetafieldEdits;
  readonly variants?: readonly VariantEdit[];
}

export interface VariantEdit {
  readonly id: string | number;
  readonly sku?: string | null;
  readonly barcode?: string | null;
  readonly metafields?: MetafieldEdits;
}

/** A product id: its gid or its number. */
export type ProductRef = string | number;

/**
 * The merchant's own hands on the shop: reads and edits beside the API, at once and unthrottled. They are normalised and
 * announced by webhooks as any write. Throws `not_found` for a product that does not exist, `invalid` for an edit that the
 * store would refuse.
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
    return importProduct(this.state, { ...BLANK, ...product });
  }

  merchantEdit(ref: ProductRef, edit: MerchantEdit): SandboxProduct {
    const product = this.required(ref);
    const { metafields = [], variants = [], ...changes } = edit;
    const changed = changeProduct(this.state, product, changes);
    if ('userErrors' in changed)
      throw new CodedError('invalid', changed.userErrors.map((error) => error.message).join('; '));
    const edited: SandboxProduct = {
      ...changed.product,
      metafields: this.written(changed.product, metafields),
      variants: product.variants.map((variant) => this.editedVariant(variant, variants)),
      changedAt: this.state.now(),
    };
    this.state.put(edited);
    return edited;
  }

  /** Defines a metafield, of products by default. The type must be one that the store knows. */
  define(definition: Pick<Definition, 'namespace' | 'key' | 'type'> & Partial<Definition>): Definition {
    const { key, type } = definition;
    if (!isMetafieldType(type)) throw new CodedError('invalid', `the store knows no type ${type}`);
    const defaults = { ownerType: 'PRODUCT', name: key, validations: [], pinned: false } as const;
    return this.state.define({ ...defaults, ...definition });
  }

  definitions(): readonly Definition[] {
    return this.state.definitions();
  }

  /** Puts a category into the taxonomy, which else has those that products use. */
  category(fullName: string): void {
    this.state.categoryNamed(fullName);
  }

  delete(ref: ProductRef): void {
    this.state.remove(this.required(ref));
  }

  archive(ref: ProductRef): SandboxProduct {
    return this.merchantEdit(ref, { status: 'ARCHIVED' });
  }

  private editedVariant(variant: ProductVariant, edits: readonly VariantEdit[]): ProductVariant {
    const found = edits.find(({ id }) => numberOf(id) === variant.id);
    if (!found) return variant;
    const { id: _id, metafields = [], ...edit } = found;
    return { ...variant, ...edit, metafields: this.written(variant, metafields) };
  }

  private written(
    owner: { readonly gid: string; readonly metafields: readonly Metafield[] },
    edits: MetafieldEdits,
  ): readonly Metafield[] {
    return edits.reduce<readonly Metafield[]>((present, edit) => {
      const written = writeMetafield(this.state, present, { ...edit, ownerId: owner.gid });
      if ('at' in written) throw new CodedError('invalid', written.message);
      return mergeMetafields(present, written.metafield);
    }, owner.metafields);
  }

  private required(ref: ProductRef): SandboxProduct {
    const product = this.get(ref);
    if (!product) throw new CodedError('not_found', `the shop has no product ${ref}`);
    return product;
  }
}

function numberOf(ref: ProductRef): number {
  return typeof ref === 'number' ? ref : Number(parseGid(ref)?.id ?? ref);
}
