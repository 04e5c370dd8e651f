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

export interface LiveTranslations {
  /** The reason why nothing can be translated into this locale, with what to do; null when translation is possible. */
  readonly problem: string | null;
  /** The targets that have a text to translate. `value` is null where there is no translation. */
  readonly texts: ReadonlyMap<string, { readonly value: string | null }>;
  /** Targets that the store never translates, whatever their value. */
  readonly never: readonly string[];
}
