import type { MetafieldValue, ProductSnapshot } from './snapshot.js';

/**
 * What store-sync needs of a store. Every method throws `CodedError` only. A connector is bound to one configured store;
 * it may be called concurrently and keeps within the store's limits by itself.
 */
export interface StoreConnector {
  /** Proves credentials, permissions and version; one finding per thing, worst last. Throws only what it cannot explain. */
  check(): Promise<readonly StoreFinding[]>;

  /**
   * Starts a full export and answers with a handle that survives a restart, or null where the store refuses exports
   * (`readPages` serves then). The export covers every status; the filter's query narrows it.
   */
  startExport(query: string): Promise<string | null>;

  /** Where an export stands. `failed` carries why; a cancelled or expired export is `failed`, also when it offers a file. */
  pollExport(handle: string): Promise<ExportState>;

  /** Cancels an export that nobody will read. A finished one is left alone without error. */
  cancelExport(handle: string): Promise<void>;

  /**
   * Streams a completed export product by product, in batches; memory does not grow with the export. Throws `transient`
   * when the file is not what the store said it would be (docs/decisions/0015-only-complete-exports-count.md): its end is the proof of completeness.
   */
  readExport(completed: CompletedExport): AsyncIterable<readonly SourceProduct[]>;

  /**
   * Streams products by pages, oldest change first, all statuses, each product once. With `since`: those changed at or
   * after it. Throws `invalid` when the store says that it ignored or cut the filter.
   */
  readPages(selection: PageSelection): AsyncIterable<readonly ProductSnapshot[]>;

  /** How many products a full read should meet, or null when the store does not say. */
  countProducts(query: string): Promise<number | null>;

  /** Products as they are now, in the order of the ids; null where one no longer exists. */
  readProducts(storeIds: readonly string[]): Promise<readonly (ProductSnapshot | null)[]>;

  /**
   * The values that a write-back may touch, as they are now; null when the product no longer exists. Search engine texts may be
   * left out (`seo: false`) by whoever does not need them: they cost extra.
   */
  readLive(
    storeId: string,
    metafieldNamespace: string | null,
    parts?: LiveParts,
  ): Promise<LiveProduct | null>;

  /**
   * Writes product fields in one call and answers with what the store now holds for each written field (stores normalise:
   * docs/decisions/0004-effective-source.md). Throws `not_found` when the product is gone, `invalid` with the store's field messages.
   */
  writeFields(
    storeId: string,
    fields: Readonly<Partial<Record<StoreField, string>>>,
    options?: StoreWriteOptions,
  ): Promise<Partial<Record<StoreField, string | null>>>;

  /**
   * Sets metafields, each guarded by the digest that was read (null: must not exist yet). Splits into as many calls as the
   * store asks for. One entry's refusal is that entry's outcome and does not hold up the others.
   */
  writeMetafields(
    storeId: string,
    metafields: readonly MetafieldWrite[],
    options?: StoreWriteOptions,
  ): Promise<readonly MetafieldOutcome[]>;

  /** Removes metafields that were not there before; absent ones are no error. */
  removeMetafields(
    storeId: string,
    metafields: readonly { namespace: string; key: string }[],
    options?: StoreWriteOptions,
  ): Promise<void>;

  /**
   * The translations of the targets (store fields, `metafield:namespace.key`) into a locale, as they are now; null when the
   * product no longer exists. What the store or the app does not allow is told in `problem`, not thrown.
   */
  readTranslations(
    storeId: string,
    locale: string,
    targets: readonly string[],
  ): Promise<LiveTranslations | null>;

  /**
   * Registers translations of the texts as they stand now, and answers with what the store then holds (it normalises). The
   * store has no compare-and-set for them: each is read once more just before and left alone when it is no longer `expected`.
   * One entry's refusal is that entry's outcome and does not hold up the others. Throws `not_found` when the product is gone.
   */
  writeTranslations(
    storeId: string,
    locale: string,
    writes: readonly TranslationWrite[],
    options?: StoreWriteOptions,
  ): Promise<readonly TranslationOutcome[]>;

  /** Removes translations that were not there before; absent ones are no error. `invalid` when the store refuses. */
  removeTranslations(
    storeId: string,
    locale: string,
    targets: readonly string[],
    options?: StoreWriteOptions,
  ): Promise<void>;

  /** Makes sure that product events reach `uri`, without a second subscription for the same topic and address. */
  ensureSubscriptions(uri: string): Promise<void>;

  close(): Promise<void>;
}

export interface StoreWriteOptions {
  /** Runs right before each write request, after every wait for a turn; when it throws, the request is not sent. */
  readonly beforeSend?: () => Promise<void>;
}

/** A product as a read of the store met it. */
export interface SourceProduct {
  readonly externalId: string;
  readonly storeId: string;
  /**
   * Of everything that the store said of the product, to the byte: as long as it stays, so does the snapshot. Null where a
   * read cannot tell.
   */
  readonly digest: string | null;
  /** Parses what was read. Throws `transient`, saying where, when it is malformed. */
  snapshot(): ProductSnapshot;
}

/** Product fields that content may be written to. */
export const STORE_FIELDS = [
  'title',
  'descriptionHtml',
  'seo.title',
  'seo.description',
  'vendor',
  'productType',
] as const;
export type StoreField = (typeof STORE_FIELDS)[number];

export interface LiveProduct {
  readonly storeId: string;
  readonly status: string;
  /** Null and the empty string are one thing: null. What was not asked for is absent: see `liveField`. */
  readonly fields: Readonly<Partial<Record<StoreField, string | null>>>;
  /** All metafields of the namespace that was asked for. */
  readonly metafields: readonly LiveMetafield[];
}

export interface LiveParts {
  readonly seo: boolean;
}

/** What the store holds in a field. Throws when the field was not read: that is not the same as an empty one. */
export function liveField(live: LiveProduct, field: StoreField): string | null {
  const value = live.fields[field];
  if (value === undefined) throw new Error(`${field} of ${live.storeId} was not read`);
  return value;
}

export interface LiveMetafield extends MetafieldValue {
  /** The store's compare-and-set token of the value. */
  readonly digest: string;
}

export interface MetafieldWrite extends MetafieldValue {
  /** Digest of the value that is to be replaced; null when there was none. */
  readonly expectedDigest: string | null;
}

export type MetafieldOutcome =
  | {
      readonly namespace: string;
      readonly key: string;
      readonly outcome: 'written';
      readonly value: string;
      readonly digest: string;
    }
  | {
      readonly namespace: string;
      readonly key: string;
      readonly outcome: 'changed_meanwhile' | 'refused';
      readonly reason: string;
    };

export interface LiveTranslations {
  /** Why nothing can be translated into this locale, with what to do about it; null when it can. */
  readonly problem: string | null;
  /** By target: what of the targets has a text to translate. `value` is null where there is no translation. */
  readonly texts: ReadonlyMap<string, { readonly value: string | null }>;
  /** Targets that the store never translates, whatever they hold. */
  readonly never: readonly string[];
}

export interface TranslationWrite {
  readonly target: string;
  readonly value: string;
  /** The translation that is to be replaced; null when there was none. */
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
  /** Lines that the store says it wrote, and those of them that are products. */
  readonly objects: number;
  readonly rootObjects: number;
}

export interface PageSelection {
  readonly query: string;
  readonly since: Date | null;
}

export interface StoreFinding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly what: string;
  /** What was found and, unless ok, what to do. */
  readonly detail: string;
}
