import type { MetafieldKey } from './metafield-key.js';
import type {
  DefinitionOutcome,
  MetafieldDefinition,
  MetafieldOwner,
  NewMetafieldDefinition,
} from './metafield-definition.js';
import type { MetafieldValue, ProductSnapshot } from './snapshot.js';

/**
 * The operations that store-sync needs from a store. Every method throws only `CodedError`. A connector belongs to
 * one configured store. It may be called concurrently, and it respects the store's limits by itself.
 */
export interface StoreConnector {
  /** The origins of the addresses of product images, for pages that show them. */
  readonly imageOrigins: readonly string[];

  /**
   * Tests credentials, permissions and the API version, with one finding per item and the worst last. It throws only
   * when it cannot explain the problem as a finding.
   */
  check(): Promise<readonly StoreFinding[]>;

  /**
   * Asks the store who it is and what it permits, by one request. Throws what any call throws when the store refuses, and `misconfigured`
   * when another shop answers: its products must not pass for those of the configured one.
   */
  identify(): Promise<StoreIdentity>;

  /**
   * Starts a full export and returns a handle that survives a restart. Returns null where the store refuses exports;
   * use `readPages` then. The export covers every status, and the filter's query narrows it.
   */
  startExport(query: string): Promise<string | null>;

  /**
   * The state of an export. `failed` has the reason. A cancelled or expired export is `failed`, even when it offers a
   * file.
   */
  pollExport(handle: string): Promise<ExportState>;

  /** Cancels an export that is no longer needed. Cancelling a finished export does nothing. */
  cancelExport(handle: string): Promise<void>;

  /**
   * Streams a completed export in batches of products, with constant memory. The whole file has been received and matches the counts that
   * the store reported when the first product comes (docs/decisions/0015-only-complete-exports-count.md). Throws `transient` when it does
   * not match, or `signal` is aborted while it is received.
   */
  readExport(completed: CompletedExport, signal?: AbortSignal): AsyncIterable<readonly SourceProduct[]>;

  /**
   * Streams products of all statuses by pages, oldest change first, each product once. With `since`, only those
   * changed at or after it. Throws `invalid` when the store reports that it ignored or shortened the filter.
   */
  readPages(selection: PageSelection): AsyncIterable<readonly SourceProduct[]>;

  /** The number of products that a full read should find, or null when the store does not report one. */
  countProducts(query: string): Promise<number | null>;

  /** The current products, in the order of the ids. An entry is null when the product no longer exists. */
  readProducts(storeIds: readonly string[]): Promise<readonly (SourceProduct | null)[]>;

  /**
   * The current values that a write-back may replace, or null when the product no longer exists. Only the requested
   * parts are read, because each costs extra.
   */
  readLive(
    storeId: string,
    metafieldNamespace: string | null,
    parts?: LiveParts,
  ): Promise<LiveProduct | null>;

  /**
   * Writes product fields in one call and returns the stored value of each written field, because stores normalise
   * values (docs/decisions/0004-effective-source.md). Throws `not_found` when the product no longer exists, and
   * `invalid` with the store's field messages.
   */
  writeFields(
    storeId: string,
    fields: Readonly<Partial<Record<StoreField, string>>>,
    options?: StoreWriteOptions,
  ): Promise<Partial<Record<StoreField, string | null>>>;

  /**
   * Sets metafields. Each is guarded by the digest that was read; null means that it must not exist yet. Splits the
   * entries into as many calls as the store requires. A refused entry does not affect the others.
   */
  writeMetafields(
    storeId: string,
    metafields: readonly MetafieldWrite[],
    options?: StoreWriteOptions,
  ): Promise<readonly MetafieldOutcome[]>;

  /** Adds tags to those of the product, and returns all that it has then. Throws as `writeFields` does. */
  addTags(storeId: string, tags: readonly string[], options?: StoreWriteOptions): Promise<readonly string[]>;

  /** Removes tags in any letter case. Removing an absent tag is not an error. Throws as `writeFields` does. */
  removeTags(storeId: string, tags: readonly string[], options?: StoreWriteOptions): Promise<void>;

  /** Sets alternative texts of images. The empty text removes one. A refused entry does not affect the others. */
  writeImageAlts(
    writes: readonly ImageAltWrite[],
    options?: StoreWriteOptions,
  ): Promise<readonly ImageAltOutcome[]>;

  /**
   * The categories of the store's taxonomy that a text names: by id, by full name (`Root > Subcategory`), or by the
   * end of a full name. Several when it is ambiguous.
   */
  findCategories(text: string): Promise<readonly StoreCategory[]>;

  /** The definitions of the named metafields (`namespace.key`), by name. One that does not exist is absent. */
  readDefinitions(
    names: readonly string[],
    owner: MetafieldOwner,
  ): Promise<ReadonlyMap<string, MetafieldDefinition>>;

  /** Defines a metafield, so that the admin and themes show it. */
  createDefinition(
    definition: NewMetafieldDefinition,
    options?: StoreWriteOptions,
  ): Promise<DefinitionOutcome>;

  /** Removes metafields that did not exist before the write. Removing an absent metafield is not an error. */
  removeMetafields(
    storeId: string,
    metafields: readonly MetafieldKey[],
    options?: StoreWriteOptions,
  ): Promise<void>;

  /**
   * The current translations of the targets (store fields, `metafield:namespace.key`) into a locale, or null when the
   * product no longer exists. If the store or the app does not allow translations, `problem` says why; nothing is
   * thrown.
   */
  readTranslations(
    storeId: string,
    locale: string,
    targets: readonly string[],
  ): Promise<LiveTranslations | null>;

  /**
   * Registers translations of the current texts and returns the stored values, which the store normalises. The store
   * has no compare-and-set for translations. So each is read again right before the write, and skipped when it is no
   * longer `expected`. A refused entry does not affect the others. Throws `not_found` when the product no longer
   * exists.
   */
  writeTranslations(
    storeId: string,
    locale: string,
    writes: readonly TranslationWrite[],
    options?: StoreWriteOptions,
  ): Promise<readonly TranslationOutcome[]>;

  /**
   * Removes translations that did not exist before the write. Removing an absent one is not an error. Throws
   * `invalid` when the store refuses.
   */
  removeTranslations(
    storeId: string,
    locale: string,
    targets: readonly string[],
    options?: StoreWriteOptions,
  ): Promise<void>;

  /** Subscribes `uri` to product events, without a second subscription for the same topic and address. */
  ensureSubscriptions(uri: string): Promise<void>;

  /** Ends the subscriptions at `uri`, where product events went before. */
  removeSubscriptions(uri: string): Promise<void>;

  close(): Promise<void>;
}

export interface StoreWriteOptions {
  /** Runs right before each write request, after any wait for the rate limit. If it throws, the request is not sent. */
  readonly beforeSend?: () => Promise<void>;
}

/** A product as one read of the store returned it. */
export interface SourceProduct {
  readonly externalId: string;
  readonly storeId: string;
  /** Parses the data that was read. Throws `transient` with the place of the error when it is malformed. */
  snapshot(): ProductSnapshot;
}

/** Which parts of a product are read. */
export interface ReadScope {
  readonly shop: string;
  /** `namespace.key` of the metafields to read of each variant; at most two. */
  readonly variantMetafields: readonly string[];
  /** The further languages in which a product's texts are read. */
  readonly locales: readonly string[];
}

/** Product fields that write-back may write. */
export const STORE_FIELDS = [
  'title',
  'descriptionHtml',
  'seo.title',
  'seo.description',
  'vendor',
  'productType',
  /** The full name of a category of the store's taxonomy. */
  'category',
] as const;
export type StoreField = (typeof STORE_FIELDS)[number];

export interface LiveProduct {
  readonly storeId: string;
  readonly status: string;
  /** An empty string counts as null. A field that was not requested is absent; see `liveField`. */
  readonly fields: Readonly<Partial<Record<StoreField, string | null>>>;
  /** All metafields of the requested namespace, and the named ones, of the product and of variants. */
  readonly metafields: readonly LiveMetafield[];
  /** Absent when they were not requested; see `liveTags`. */
  readonly tags?: readonly string[];
  /** The images in the store's order. Absent when they were not requested. */
  readonly images?: readonly LiveImage[];
  /** The numbers of the requested variants that exist. Absent when none was requested. */
  readonly variants?: readonly string[];
}

export interface LiveImage {
  /** The number of the image in the store. */
  readonly id: string;
  /** Null when it is empty. */
  readonly alt: string | null;
  /** Null while the store processes the image. */
  readonly address: string | null;
  /** False while the store processes the image: it cannot be changed yet. */
  readonly isReady: boolean;
}

export interface LiveParts {
  readonly seo: boolean;
  readonly category?: boolean;
  readonly tags?: boolean;
  readonly images?: boolean;
  /** Further metafields by `namespace.key`; at most 250. */
  readonly metafields?: readonly string[];
  /** Metafields of variants: `namespace.key` by the variant's number. */
  readonly variants?: ReadonlyMap<string, readonly string[]>;
}

export interface StoreCategory {
  readonly id: string;
  /** `Root > Subcategory`. */
  readonly fullName: string;
}

export interface ImageAltWrite {
  readonly image: string;
  readonly alt: string;
}

export type ImageAltOutcome =
  | { readonly image: string; readonly outcome: 'written'; readonly alt: string | null }
  | { readonly image: string; readonly outcome: 'refused'; readonly reason: string };

/** The store's value of a field. Throws when the field was not read, because that differs from an empty field. */
export function liveField(live: LiveProduct, field: StoreField): string | null {
  const value = live.fields[field];
  if (value === undefined) throw new Error(`${field} of ${live.storeId} was not read`);
  return value;
}

/** The product's tags. Throws when they were not read. */
export function liveTags(live: LiveProduct): readonly string[] {
  if (live.tags === undefined) throw new Error(`the tags of ${live.storeId} were not read`);
  return live.tags;
}

/** The product's images. Throws when they were not read. */
export function liveImages(live: LiveProduct): readonly LiveImage[] {
  if (live.images === undefined) throw new Error(`the images of ${live.storeId} were not read`);
  return live.images;
}

export interface LiveMetafield extends MetafieldValue, MetafieldKey {
  /** The store's compare-and-set token of the value. */
  readonly digest: string;
}

export interface MetafieldWrite extends MetafieldValue, MetafieldKey {
  /** Digest of the value to replace; null when there was none. */
  readonly expectedDigest: string | null;
}

export type MetafieldOutcome = MetafieldKey &
  (
    | { readonly outcome: 'written'; readonly value: string; readonly digest: string }
    | { readonly outcome: 'changed_meanwhile' | 'refused'; readonly reason: string }
  );

export interface LiveTranslations {
  /** The reason why nothing can be translated into this locale, with what to do; null when translation is possible. */
  readonly problem: string | null;
  /** The targets that have a text to translate. `value` is null where there is no translation. */
  readonly texts: ReadonlyMap<string, { readonly value: string | null }>;
  /** Targets that the store never translates, whatever their value. */
  readonly never: readonly string[];
}

export interface TranslationWrite {
  readonly target: string;
  readonly value: string;
  /** The translation to replace; null when there was none. */
  readonly expected: string | null;
}

export type TranslationOutcome =
  | { readonly target: string; readonly outcome: 'written'; readonly value: string }
  | {
      readonly target: string;
      readonly outcome: 'changed_meanwhile' | 'refused';
      readonly reason: string;
    };

export type ExportState =
  | { readonly status: 'running'; readonly objects: number }
  | ({ readonly status: 'completed' } & CompletedExport)
  | { readonly status: 'failed'; readonly reason: string };

export interface CompletedExport {
  readonly handle: string;
  /** Null when the export is empty. */
  readonly url: string | null;
  /** The number of lines that the store reports, and how many of them are products. */
  readonly objects: number;
  readonly rootObjects: number;
}

export interface PageSelection {
  readonly query: string;
  readonly since: Date | null;
}

export interface StoreIdentity {
  /** The shop's own name, which stores fill into the vendor by themselves. */
  readonly name: string;
  /** The API version that the store serves in place of the configured one, which it has retired; null while it serves that. */
  readonly servedVersion: string | null;
  readonly mayWriteProducts: boolean;
}

export interface StoreFinding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly what: string;
  /** The finding and, unless it is ok, what to do. */
  readonly detail: string;
}
