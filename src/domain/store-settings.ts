import type { StoreField } from './store-port.js';
import type { ProductStatus } from './snapshot.js';

/** A store's settings as the planner and the stages need them; the configuration's schema yields this shape. */
export interface MappingSettings {
  /** Metafields that become open_attributes: `namespace.key` or `namespace.*`. */
  readonly openAttributes: readonly string[];
  /** `namespace.key` of the metafield that holds the manufacturer's part number; empty: none. */
  readonly mpn: string;
  readonly asin: string;
  /** Where the brand comes from: `auto`, `vendor`, `none`, or `namespace.key` of a metafield. */
  readonly brand: BrandSource;
  /** `namespace.key` of the metafield with the page that the service shall read; empty: none. */
  readonly sourceUrl: string;
  /** `namespace.key` of the metafield with the text that the service shall search by; empty: none. */
  readonly referenceString: string;
  /** Codes of the service's product lists that every product of the store joins. */
  readonly productLists: readonly string[];
  /** Store tag to the id of the service's tag. */
  readonly tags: Readonly<Record<string, number>>;
}

/** `auto`, `vendor`, `none`, or the name of a metafield. */
export type BrandSource = string;

export interface WriteBackSettings {
  readonly mode: 'auto' | 'review' | 'off';
  readonly onConflict: 'skip' | 'overwrite';
  /** Catalog field (`name`, or `sections.CODE`) to store field. */
  readonly fields: Readonly<Record<string, StoreField>>;
  /** Null: custom attributes are left alone. */
  readonly sections: { readonly namespace: string } | null;
  readonly locales: readonly string[];
}

export interface FilterSettings {
  readonly status: readonly ProductStatus[];
  readonly query: string;
  /** Whether gift cards are synchronised. */
  readonly giftCards: boolean;
}
