import { keyInTarget, metafieldTarget } from '../../src/domain/metafield-key.js';
import { CodedError } from '../../src/domain/errors.js';
import { TRANSLATED_TEXTS, type MetafieldValue, type ProductSnapshot } from '../../src/domain/snapshot.js';
import type { TimedSnapshot } from './product-snapshots.js';
import type {
  LiveProduct,
  ReadPart,
  SourceProduct,
  StoreConnector,
  StoreConstraints,
  StoreField,
  StoreFinding,
  StoreProbe,
  StoreWriteOptions,
  TargetWrite,
  WantedValue,
  WholeReadOptions,
  WriteOutcome,
} from '../../src/domain/store-port.js';
import type {
  CompletedExport,
  ExportState,
  LiveTranslations,
  PageSelection,
} from '../../src/store/shopify/api-types.js';
import { changedMeanwhile, refused, type TextWrite, written } from '../../src/store/outcomes.js';
import { readConstraints, readTargets } from '../../src/store/shopify/target-reader.js';
import { writeTargets } from '../../src/store/shopify/target-writer.js';
import { readWhole } from '../../src/store/shopify/whole-read.js';
import { fingerprint } from '../../src/domain/fingerprint.js';
import { changesFor, fieldsOf, liveProduct } from './fake-live.js';
import { partsOf } from './fake-parts.js';
import { FakeProducts } from './fake-products.js';
import { IDENTITY, SHOP } from './product-snapshots.js';

export type { StoreOperation } from './fake-products.js';
export { modelSnapshot, otherSnapshot, SHOP, snapshot, variant, withSku } from './product-snapshots.js';

/** A store in memory, behind the port that connectors implement. */
export class FakeStore extends FakeProducts implements StoreConnector {
  readonly imageOrigins = ['https://cdn.shopify.com'];
  /** Without exports a full read goes by pages. */
  exports = true;
  batchSize = 2;
  /** The answers to the next polls of an export. After them it is completed. */
  exportStates: ExportState[] = [];
  query = '';
  /** Waits between two polls of an export. */
  sleep = (_ms: number, _signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => setImmediate(resolve));
  findings: readonly StoreFinding[] = [];
  identity: Omit<StoreProbe, 'findings'> = {
    ...{ identity: IDENTITY, name: 'Example', servedVersion: null, mayWriteProducts: true },
  };
  /** Overrides the store's own count. */
  counted: number | null | undefined;
  /** Read twice by every read, as pages do that shift under it. */
  repeated: readonly TimedSnapshot[] = [];
  /** The products that the filter's query selects. */
  selects: (product: ProductSnapshot) => boolean = () => true;
  /** How the store normalises a value. */
  normalises: (field: StoreField, value: string) => string = (_field, value) => value;
  /** Products whose data do not fit the interface, by store id. */
  malformed = new Set<string>();
  /** Metafields that the store refuses, by key. */
  refusedKeys = new Set<string>();
  /** Languages of the shop besides its own. */
  locales = ['fr', 'de'];
  /** The languages in which products are read besides the shop's own. */
  sourceLocales: readonly string[] = [];
  /** The app may not read translations. */
  refusesTranslations = false;
  readonly #translations = new Map<string, string>();
  /** Runs between the read of a metafield and its write, like another app's edit. */
  beforeMetafields: () => void = () => undefined;

  scaledImage = (address: URL): URL => address;

  async probe(): Promise<StoreProbe> {
    return this.script.run('identify', [], () => ({
      ...this.identity,
      findings: () => Promise.resolve(this.findings),
    }));
  }

  readWhole(
    resume: string | null,
    onHandle: (handle: string | null) => Promise<void>,
    options: WholeReadOptions = {},
  ): AsyncIterable<ReadPart> {
    return readWhole(partsOf(this), this.query, { ...options, resume, onHandle });
  }

  abandonRead(handle: string): Promise<void> {
    return this.cancelExport(handle);
  }

  readChanged(since: Date): AsyncIterable<readonly SourceProduct[]> {
    return this.readPages({ query: this.query, since });
  }

  count(): Promise<number | null> {
    return this.countProducts(this.query);
  }

  readTargets(storeId: string, targets: readonly string[]): Promise<LiveProduct | null> {
    return readTargets(partsOf(this), storeId, targets);
  }

  write(
    storeId: string,
    writes: readonly TargetWrite[],
    options: StoreWriteOptions = {},
  ): AsyncIterable<readonly WriteOutcome[]> {
    return writeTargets(partsOf(this), storeId, writes, options);
  }

  constraints(wanted: readonly WantedValue[]): Promise<StoreConstraints> {
    return readConstraints(partsOf(this), wanted);
  }

  async subscribe(uri: string, former: string | null): Promise<void> {
    await this.ensureSubscriptions(uri);
    if (former !== null) await this.removeSubscriptions(former);
  }

  adminUrl(storeId: string): string {
    return `https://${SHOP}/admin/products/${storeId}`;
  }

  async startExport(query: string): Promise<string | null> {
    return this.script.run('startExport', [query], () =>
      this.exports ? `export-${String(this.script.count('startExport'))}` : null,
    );
  }

  async pollExport(handle: string): Promise<ExportState> {
    return this.script.run('pollExport', [handle], () => {
      const { size } = this.products;
      return (
        this.exportStates.shift() ?? {
          status: 'completed',
          ...{ handle, url: 'https://example.com/export', objects: size, rootObjects: size },
        }
      );
    });
  }

  async cancelExport(handle: string): Promise<void> {
    return this.script.run('cancelExport', [handle], () => undefined);
  }

  async *readExport(completed: CompletedExport): AsyncGenerator<readonly SourceProduct[]> {
    await this.script.run('readExport', [completed], () => undefined);
    for await (const batch of this.#batches(() => true)) {
      yield batch.map((product) => this.#source(product));
    }
  }

  async *readPages(selection: PageSelection): AsyncGenerator<readonly SourceProduct[]> {
    await this.script.run('readPages', [selection], () => undefined);
    const { since } = selection;
    const changed = this.#batches((product) => since === null || product.updatedAt >= since);
    for await (const batch of changed) yield batch.map((product) => this.#source(product));
  }

  async *#batches(wanted: (product: TimedSnapshot) => boolean): AsyncGenerator<readonly ProductSnapshot[]> {
    const all = [...this.products.values(), ...this.repeated].filter(
      (product) => this.selects(product) && wanted(product),
    );
    for (let from = 0; from < all.length; from += this.batchSize) {
      yield await this.script.run('batch', [from], () =>
        all.slice(from, from + this.batchSize).map((product) => this.#asRead(product)),
      );
    }
  }

  async countProducts(query: string): Promise<number | null> {
    return this.script.run('countProducts', [query], () =>
      this.counted === undefined
        ? [...this.products.values()].filter((product) => this.selects(product)).length
        : this.counted,
    );
  }

  async readProducts(storeIds: readonly string[]): Promise<readonly (SourceProduct | null)[]> {
    return this.script.run('readProducts', [storeIds], () =>
      storeIds.map((id) => {
        const product = this.products.get(id);
        if (product === undefined) return null;
        const isLeftOut = this.query !== '' && !this.selects(product);
        return { ...this.#source(product), ...(isLeftOut ? { isLeftOut } : {}) };
      }),
    );
  }

  #source(product: ProductSnapshot): SourceProduct {
    const { externalId, storeId } = product;
    const snapshot = (): ProductSnapshot => {
      if (this.malformed.has(storeId))
        throw new CodedError('transient', `malformed product data, ${storeId}`);
      return this.#asRead(product);
    };
    return { externalId, storeId, snapshot };
  }

  #asRead(product: ProductSnapshot): ProductSnapshot {
    if (this.sourceLocales.length === 0) return product;
    if (this.refusesTranslations) return { ...product, translations: null };
    const texts = (locale: string): object =>
      Object.fromEntries(
        TRANSLATED_TEXTS.flatMap((field) => {
          const value = this.translation(product.storeId, `${locale}:${field}`);
          return value === undefined ? [] : [[field, value]];
        }),
      );
    return {
      ...product,
      translations: Object.fromEntries(this.sourceLocales.map((locale) => [locale, texts(locale)])),
      metafields: product.metafields.map((field) => {
        const target = metafieldTarget(field);
        const translated = this.sourceLocales.flatMap((locale) => {
          const value = this.translation(product.storeId, `${locale}:${target}`);
          return value === undefined ? [] : [[locale, value] as const];
        });
        return translated.length === 0 ? field : { ...field, translations: Object.fromEntries(translated) };
      }),
    };
  }

  async readLive(storeId: string, targets: readonly string[]): Promise<LiveProduct | null> {
    return this.script.run('readLive', [storeId, targets], () => {
      const product = this.products.get(storeId);
      return product === undefined ? null : liveProduct(product, targets, this.images.get(storeId) ?? []);
    });
  }

  async writeFields(
    storeId: string,
    fields: Readonly<Partial<Record<StoreField, string>>>,
    { beforeSend }: StoreWriteOptions = {},
  ): Promise<Partial<Record<StoreField, string | null>>> {
    return this.script.run('writeFields', [storeId, fields], async () => {
      await beforeSend?.();
      if (!this.products.has(storeId)) throw new CodedError('not_found', 'the product is gone');
      const stored: Partial<Record<StoreField, string | null>> = {};
      for (const [field, value] of Object.entries(fields)) {
        const name = field as StoreField;
        stored[name] = this.normalises(name, value) || null;
        this.edit(storeId, changesFor(name, stored[name] ?? null));
      }
      return stored;
    });
  }

  async writeMetafields(
    storeId: string,
    writes: readonly TextWrite[],
    { beforeSend }: StoreWriteOptions = {},
  ): Promise<readonly WriteOutcome[]> {
    return this.script.run('writeMetafields', [storeId, writes], async () => {
      await beforeSend?.();
      this.beforeMetafields();
      return writes.map((write) => this.#writeMetafield(storeId, write));
    });
  }

  #writeMetafield(storeId: string, write: TextWrite): WriteOutcome {
    const { target, type, value } = write;
    const { namespace, key, variant } = keyInTarget(target);
    const present = this.#metafieldsOf(storeId, variant);
    const others = present.filter((field) => field.namespace !== namespace || field.key !== key);
    const current = present.find((field) => !others.includes(field));
    const digest = current === undefined ? null : fingerprint(current.value);
    if (this.refusedKeys.has(key)) return refused(target, 'type is wrong');
    if (digest !== write.token) return changedMeanwhile(target, 'changed since it was read');
    const field = { namespace, key, type: type ?? 'single_line_text_field', value };
    this.#putMetafields(storeId, variant, [...others, field]);
    return written(target, value);
  }

  #metafieldsOf(storeId: string, variant: string | undefined): readonly MetafieldValue[] {
    const { metafields, variants } = this.at(storeId);
    if (variant === undefined) return metafields;
    return variants.find((each) => each.storeId === variant)?.metafields ?? [];
  }

  #putMetafields(storeId: string, variant: string | undefined, metafields: MetafieldValue[]): void {
    if (variant === undefined) this.edit(storeId, { metafields });
    else
      this.edit(storeId, {
        variants: this.at(storeId).variants.map((each) =>
          each.storeId === variant ? { ...each, metafields } : each,
        ),
      });
  }

  async removeMetafields(
    storeId: string,
    targets: readonly string[],
    { beforeSend }: StoreWriteOptions = {},
  ): Promise<void> {
    return this.script.run('removeMetafields', [storeId, targets], async () => {
      await beforeSend?.();
      for (const { namespace, key, variant } of targets.map(keyInTarget)) {
        const present = this.#metafieldsOf(storeId, variant);
        const left = present.filter((field) => field.namespace !== namespace || field.key !== key);
        this.#putMetafields(storeId, variant, left);
      }
    });
  }

  /** Sets a value as a person or an earlier write would; null removes it. */
  translate(storeId: string, target: string, value: string | null): void {
    const key = `${storeId} ${target}`;
    if (value === null) this.#translations.delete(key);
    else this.#translations.set(key, value);
  }

  translation(storeId: string, target: string): string | undefined {
    return this.#translations.get(`${storeId} ${target}`);
  }

  async readTranslations(
    storeId: string,
    locale: string,
    targets: readonly string[],
  ): Promise<LiveTranslations | null> {
    return this.script.run('readTranslations', [storeId, locale, targets], () =>
      this.#liveTranslations(storeId, locale, targets),
    );
  }

  #liveTranslations(storeId: string, locale: string, targets: readonly string[]): LiveTranslations | null {
    const product = this.products.get(storeId);
    if (!product) return null;
    const held = new Map<string, string | null>([
      ...Object.entries(fieldsOf(product)),
      ...product.metafields.map((field) => [metafieldTarget(field), field.value] as const),
    ]);
    const texts = targets.flatMap((target) => {
      const value = this.translation(storeId, `${locale}:${target}`) ?? null;
      return (held.get(target) ?? null) === null ? [] : [[target, { value }] as const];
    });
    const problem = this.locales.includes(locale) ? null : `the shop has no language ${locale}`;
    return { problem, texts: new Map(texts), never: targets.filter((target) => target === 'vendor') };
  }

  async writeTranslations(
    storeId: string,
    locale: string,
    writes: readonly Pick<TextWrite, 'target' | 'value' | 'expected'>[],
    { beforeSend }: StoreWriteOptions = {},
  ): Promise<readonly WriteOutcome[]> {
    return this.script.run('writeTranslations', [storeId, locale, writes], async () => {
      await beforeSend?.();
      return writes.map(({ target, value, expected }): WriteOutcome => {
        const live = this.#liveTranslations(storeId, locale, [target]);
        if (live === null) throw new CodedError('not_found', 'the product is gone');
        const text = live.texts.get(target);
        if (text === undefined) return refused(target, 'there is no text to translate');
        if (text.value !== expected) return changedMeanwhile(target, 'changed since it was read');
        this.translate(storeId, `${locale}:${target}`, value);
        return written(target, value);
      });
    });
  }

  async removeTranslations(
    storeId: string,
    locale: string,
    targets: readonly string[],
    { beforeSend }: StoreWriteOptions = {},
  ): Promise<void> {
    return this.script.run('removeTranslations', [storeId, locale, targets], async () => {
      await beforeSend?.();
      for (const target of targets) this.translate(storeId, `${locale}:${target}`, null);
    });
  }

  close = (): Promise<void> => Promise.resolve();
}
