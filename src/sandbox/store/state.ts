import type { Definition } from './model.js';
import { gid } from './model.js';
import type { SandboxProduct, ShopLocale, TaxonomyCategory, Translation } from './model.js';

export interface ShopStateOptions {
  readonly shop: string;
  readonly now: () => Date;
  /** How long after a write `updatedAt` moves again, as it was recorded to do. */
  readonly updatedAtLagMs: number;
  /** How long searches keep seeing products as they were; look-ups by id are always current. */
  readonly searchLagMs: number;
  readonly locales: readonly ShopLocale[];
}

export type ProductEvent = 'create' | 'update' | 'delete';
export type ProductListener = (event: ProductEvent, product: SandboxProduct) => void;

/** First number of each kind; ids count up from here, so that the same steps always give the same ids. */
const FIRST_IDS = {
  product: 8_000_000_000_001,
  variant: 44_000_000_000_001,
  inventoryItem: 46_000_000_000_001,
  option: 10_100_000_000_001,
  optionValue: 20_200_000_000_001,
  media: 30_300_000_000_001,
  metafield: 40_400_000_000_001,
  definition: 60_600_000_000_001,
  collection: 50_500_000_000_001,
  webhook: 1_600_000_000_001,
  bulkOperation: 7_600_000_000_001,
};
export type IdKind = keyof typeof FIRST_IDS;

interface IndexedVersion {
  readonly at: number;
  readonly product: SandboxProduct | null;
}

/** The shop's products and what hangs on them, with the delays that a real store has between a write and its effects. */
export class ShopState {
  private readonly byId = new Map<number, SandboxProduct>();
  private readonly idsByHandle = new Map<string, number>();
  private readonly history = new Map<number, IndexedVersion[]>();
  private readonly nextIds: Record<IdKind, number> = { ...FIRST_IDS };
  private readonly listeners = new Set<ProductListener>();
  private readonly categories = new Map<string, TaxonomyCategory>();
  private readonly definitionsByName = new Map<string, Definition>();
  private readonly collectionIds = new Map<string, number>();
  private readonly translationsOf = new Map<string, readonly Translation[]>();
  private changes = 0;

  constructor(private readonly options: ShopStateOptions) {}

  get shop(): string {
    return this.options.shop;
  }

  get locales(): readonly ShopLocale[] {
    return this.options.locales;
  }

  /** Counts writes: an answer that was worked out at one version holds as long as it stands, where there are no lags. */
  get version(): number {
    return this.changes;
  }

  get hasLag(): boolean {
    return this.options.searchLagMs > 0 || this.options.updatedAtLagMs > 0;
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

  /** Products as a search sees them: older than now by the search lag. */
  searchable(): SandboxProduct[] {
    if (this.options.searchLagMs === 0) return this.products();
    const seenUntil = this.now().getTime() - this.options.searchLagMs;
    const found: SandboxProduct[] = [];
    for (const versions of this.history.values()) {
      const seen = versions.findLast((version) => version.at <= seenUntil)?.product;
      if (seen) found.push(seen);
    }
    return found.sort((left, right) => left.id - right.id);
  }

  /** The time that readers see; whole seconds, as the API writes them. */
  updatedAt(product: SandboxProduct): Date {
    const moved = product.changedAt.getTime() + this.options.updatedAtLagMs;
    return wholeSeconds(this.now().getTime() >= moved ? new Date(moved) : product.changedAt);
  }

  put(product: SandboxProduct): void {
    const before = this.byId.get(product.id);
    const event = before ? 'update' : 'create';
    if (before) this.idsByHandle.delete(before.handle);
    this.byId.set(product.id, product);
    this.idsByHandle.set(product.handle, product.id);
    this.remember(product.id, product);
    if (product.category) this.categories.set(product.category.gid, product.category);
    for (const listener of this.listeners) listener(event, product);
  }

  remove(product: SandboxProduct): void {
    this.byId.delete(product.id);
    this.idsByHandle.delete(product.handle);
    this.remember(product.id, null);
    for (const listener of this.listeners) listener('delete', product);
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

  definition(ownerType: Definition['ownerType'], namespace: string, key: string): Definition | undefined {
    return this.definitionsByName.get(`${ownerType} ${namespace}.${key}`);
  }

  define(definition: Omit<Definition, 'id'>): Definition {
    const created = { ...definition, id: this.nextId('definition') };
    const { ownerType, namespace, key } = definition;
    this.definitionsByName.set(`${ownerType} ${namespace}.${key}`, created);
    return created;
  }

  /** One id per collection handle. */
  collectionId(handle: string): number {
    const known = this.collectionIds.get(handle);
    if (known !== undefined) return known;
    const id = this.nextId('collection');
    this.collectionIds.set(handle, id);
    return id;
  }

  translations(resourceGid: string): readonly Translation[] {
    return this.translationsOf.get(resourceGid) ?? [];
  }

  setTranslations(resourceGid: string, translations: readonly Translation[]): void {
    this.translationsOf.set(resourceGid, translations);
  }

  private remember(id: number, product: SandboxProduct | null): void {
    this.changes += 1;
    if (this.options.searchLagMs === 0) return;
    const at = this.now().getTime();
    const versions = this.history.get(id) ?? [];
    const firstNeeded = versions.findLastIndex((version) => version.at <= at - this.options.searchLagMs);
    this.history.set(id, [...versions.slice(Math.max(firstNeeded, 0)), { at, product }]);
  }
}

export function wholeSeconds(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}
