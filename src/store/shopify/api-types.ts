import type { MetafieldKey } from '../../domain/metafield-key.js';
import type { MetafieldValue } from '../../domain/snapshot.js';
import type { LiveImage, StoreField } from '../../domain/store-port.js';

/** Which parts of a product are read. */
export interface ReadScope {
  /** The beginning of the external_ids. */
  readonly identity: string;
  /** `namespace.key` of the metafields to read of each variant; at most two. */
  readonly variantMetafields: readonly string[];
  /** The further languages in which a product's texts are read. */
  readonly locales: readonly string[];
}

export interface PageSelection {
  readonly query: string;
  readonly since: Date | null;
}

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

/** The parts of a product that one read asked for. */
export interface LiveContentParts {
  readonly storeId: string;
  readonly status: string;
  /** An empty string counts as null. A field that was not requested is absent. */
  readonly fields: Readonly<Partial<Record<StoreField, string | null>>>;
  /** All metafields of the requested namespace, and the named ones, of the product and of variants. */
  readonly metafields: readonly LiveMetafield[];
  /** Absent when they were not requested. */
  readonly tags?: readonly string[];
  /** The images in the store's order. Absent when they were not requested. */
  readonly images?: readonly LiveImage[];
  /** The numbers of the requested variants that exist. Absent when none was requested. */
  readonly variants?: readonly string[];
}

export interface LiveMetafield extends MetafieldValue, MetafieldKey {
  /** The store's compare-and-set token of the value. */
  readonly digest: string;
}

export interface LiveTranslations {
  /** The reason why nothing can be translated into this locale, with what to do; null when translation is possible. */
  readonly problem: string | null;
  /** The targets that have a text to translate. `value` is null where there is no translation. */
  readonly texts: ReadonlyMap<string, { readonly value: string | null }>;
  /** Targets that the store never translates, whatever their value. */
  readonly never: readonly string[];
}
