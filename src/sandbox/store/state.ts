import type {
  Definition,
  OwnerType,
  SandboxProduct,
  ShopLocale,
  TaxonomyCategory,
  Translation,
} from './model.js';
import { gid } from './model.js';

export interface ShopStateOptions {
  readonly shop: string;
  readonly now: () => Date;
  readonly locales: readonly ShopLocale[];
}

export type ProductEvent = 'create' | 'update' | 'delete';
export type ProductListener = (event: ProductEvent, product: SandboxProduct) => void;

/** First number of each kind; ids count up from here, so that the same steps always give the same ids. */
const FIRST_IDS = {
  product: 8_000_000_000_001,
  variant: 44_000_000_000_001,
  media: 30_300_000_000_001,
  metafield: 40_400_000_000_001,
  definition: 60_600_000_000_001,
  webhook: 1_600_000_000_001,
  bulkOperation: 7_600_000_000_001,
};
export type IdKind = keyof typeof FIRST_IDS;

/** The shop's products and what hangs on them. */
export class ShopState {
  private readonly byId = new Map<number, SandboxProduct>();
  private readonly idsByHandle = new Map<string, number>();
  private readonly nextIds: Record<IdKind, number> = { ...FIRST_IDS };
  private readonly listeners = new Set<ProductListener>();
  private readonly categories = new Map<string, TaxonomyCategory>();
  private readonly definitionsByName = new Map<string, Definition>();
  private readonly translationsOf = new Map<string, readonly Translation[]>();

  constructor(private readonly options: ShopStateOptions) {}

  get shop(): string {
    return this.options.shop;
  }

  get locales(): readonly ShopLocale[] {
    return this.options.locales;
  }

  now(): Date {
    return this.options.now();
  }

  nextId(kind: IdKind): number {
    return this.nextIds[kind]++;
  }

  /** All products as they are now, oldest id first. */
  products(): SandboxProduct[] {
    return [...this.byId.values()];
  }

  product(id: number): SandboxProduct | undefined {
    return this.byId.get(id);
  }

  productByHandle(handle: string): SandboxProduct | undefined {
    const id = this.idsByHandle.get(handle);
    return id === undefined ? undefined : this.byId.get(id);
  }

  put(product: SandboxProduct): void {
    const before = this.byId.get(product.id);
    if (before) this.idsByHandle.delete(before.handle);
    this.byId.set(product.id, product);
    this.idsByHandle.set(product.handle, product.id);
    this.changed(before ? 'update' : 'create', product);
  }

  remove(product: SandboxProduct): void {
    this.byId.delete(product.id);
    this.idsByHandle.delete(product.handle);
    this.changed('delete', product);
  }

  onProductEvent(listener: ProductListener): void {
    this.listeners.add(listener);
  }

  /** The taxonomy is what the shop's products use of it; ids are made from the names. */
  categoryNamed(fullName: string): TaxonomyCategory {
    const slug = fullName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    const category = { gid: gid('TaxonomyCategory', slug), fullName };
    this.categories.set(category.gid, category);
    return category;
  }

  category(categoryGid: string): TaxonomyCategory | undefined {
    return this.categories.get(categoryGid);
  }

  /** The categories of the taxonomy, in the order in which they came up. */
  taxonomy(): readonly TaxonomyCategory[] {
    return [...this.categories.values()];
  }

  /** Definitions of metafields, oldest first. */
  definitions(): readonly Definition[] {
    return [...this.definitionsByName.values()];
  }

  definition(ownerType: OwnerType, namespace: string, key: string): Definition | undefined {
    return this.definitionsByName.get(`${ownerType} ${namespace}.${key}`);
  }

  define(definition: Omit<Definition, 'id'>): Definition {
    const created = { ...definition, id: this.nextId('definition') };
    const { ownerType, namespace, key } = definition;
    this.definitionsByName.set(`${ownerType} ${namespace}.${key}`, created);
    return created;
  }

  translations(resourceGid: string): readonly Translation[] {
    return this.translationsOf.get(resourceGid) ?? [];
  }

  setTranslations(resourceGid: string, translations: readonly Translation[]): void {
    this.translationsOf.set(resourceGid, translations);
  }

  private changed(event: ProductEvent, product: SandboxProduct): void {
    for (const listener of this.listeners) listener(event, product);
  }
}
