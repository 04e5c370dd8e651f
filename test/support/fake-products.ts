import { CodedError } from '../../src/domain/errors.js';
import type {
  DefinitionOutcome,
  MetafieldDefinition,
  MetafieldOwner,
  NewMetafieldDefinition,
} from '../../src/domain/metafield-definition.js';
import type { TimedSnapshot } from './product-snapshots.js';
import type {
  LiveImage,
  StoreCategory,
  StoreWriteOptions,
  TargetWrite,
  WriteOutcome,
} from '../../src/domain/store-port.js';
import { imageOfTarget } from '../../src/domain/write-target.js';
import { written } from '../../src/store/outcomes.js';
import { CallScript } from './call-script.js';

/** The calls of the API in memory. */
export type StoreOperation =
  | (
      | 'identify'
      | 'startExport'
      | 'pollExport'
      | 'readExport'
      | 'cancelExport'
      | 'readPages'
      | 'countProducts'
    )
  | ('readProducts' | 'batch' | 'readLive' | 'readTranslations' | 'findCategories')
  | ('writeFields' | 'writeMetafields' | 'removeMetafields' | 'createDefinition' | 'addTags' | 'removeTags')
  | ('writeImageAlts' | 'writeTranslations' | 'removeTranslations')
  | ('ensureSubscriptions' | 'removeSubscriptions');

/** The products of a store in memory, with their tags and images, the taxonomy and the definitions. */
export class FakeProducts {
  readonly script = new CallScript<StoreOperation>();
  readonly products = new Map<string, TimedSnapshot>();
  /** The images of products, by store id. */
  readonly images = new Map<string, readonly LiveImage[]>();
  /** The full names of the store's taxonomy. */
  categories: readonly string[] = [];
  /** The merchant's definitions of metafields of variants, by `namespace.key`. */
  readonly variantDefinitions = new Map<string, MetafieldDefinition>();
  /** The merchant's definitions of product metafields, by `namespace.key`. */
  readonly definitions = new Map<string, MetafieldDefinition>();

  put(...products: readonly TimedSnapshot[]): void {
    for (const product of products) this.products.set(product.storeId, product);
  }

  edit(storeId: string, changes: Partial<TimedSnapshot>): void {
    this.put({ ...this.at(storeId), ...changes });
  }

  at(storeId: string): TimedSnapshot {
    const product = this.products.get(storeId);
    if (!product) throw new Error(`the store has no product ${storeId}`);
    return product;
  }

  metafield(storeId: string, key: string): string | undefined {
    return this.at(storeId).metafields.find((field) => field.key === key)?.value;
  }

  async addTags(
    storeId: string,
    tags: readonly string[],
    { beforeSend }: StoreWriteOptions = {},
  ): Promise<readonly string[]> {
    return this.script.run('addTags', [storeId, tags], async () => {
      await beforeSend?.();
      if (!this.products.has(storeId)) throw new CodedError('not_found', 'the product is gone');
      this.edit(storeId, { tags: [...new Set([...this.at(storeId).tags, ...tags])] });
      return this.at(storeId).tags;
    });
  }

  async removeTags(
    storeId: string,
    tags: readonly string[],
    { beforeSend }: StoreWriteOptions = {},
  ): Promise<void> {
    return this.script.run('removeTags', [storeId, tags], async () => {
      await beforeSend?.();
      this.edit(storeId, { tags: this.at(storeId).tags.filter((tag) => !tags.includes(tag)) });
    });
  }

  async writeImageAlts(
    writes: readonly TargetWrite[],
    { beforeSend }: StoreWriteOptions = {},
  ): Promise<readonly WriteOutcome[]> {
    return this.script.run('writeImageAlts', [writes], async () => {
      await beforeSend?.();
      return writes.map(({ target, value }) => {
        const image = imageOfTarget(target) ?? '';
        const alt = value === '' ? null : value;
        for (const [storeId, images] of this.images)
          this.images.set(
            storeId,
            images.map((each) => (each.id === image ? { ...each, alt } : each)),
          );
        return written(target, alt);
      });
    });
  }

  async findCategories(text: string): Promise<readonly StoreCategory[]> {
    return this.script.run('findCategories', [text], () =>
      this.categories
        .filter((fullName) => fullName === text || fullName.endsWith(`> ${text}`))
        .map((fullName) => ({ id: `category/${fullName}`, fullName })),
    );
  }

  async readDefinitions(
    names: readonly string[],
    owner: MetafieldOwner,
  ): Promise<ReadonlyMap<string, MetafieldDefinition>> {
    const all = owner === 'product' ? this.definitions : this.variantDefinitions;
    return new Map([...all].filter(([name]) => names.includes(name)));
  }

  async createDefinition(
    { owner, namespace, key, type }: NewMetafieldDefinition,
    { beforeSend }: StoreWriteOptions = {},
  ): Promise<DefinitionOutcome> {
    return this.script.run('createDefinition', [namespace, key, type], async () => {
      await beforeSend?.();
      const all = owner === 'product' ? this.definitions : this.variantDefinitions;
      all.set(`${namespace}.${key}`, { namespace, key, type, validations: [] });
      return { outcome: 'created' };
    });
  }

  async ensureSubscriptions(uri: string): Promise<void> {
    return this.script.run('ensureSubscriptions', [uri], () => undefined);
  }

  async removeSubscriptions(uri: string): Promise<void> {
    return this.script.run('removeSubscriptions', [uri], () => undefined);
  }
}
