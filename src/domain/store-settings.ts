import type { StoreField } from './store-port.js';
import type { IMAGE_ALTS, SHORT_DESCRIPTION } from './write-target.js';
import type { ProductStatus } from './snapshot.js';

/**
 * A store's settings, in the shape that the planner and the stages use. The configuration schema produces this shape.
 */
export interface MappingSettings {
  /** Metafields that become open_attributes: `namespace.key` or `namespace.*`. */
  readonly openAttributes: readonly string[];
  /** `namespace.key` of the metafield that holds the manufacturer's part number; empty: none. */
  readonly mpn: string;
  readonly asin: string;
  /** Where the brand comes from: `auto`, `vendor`, `none`, or `namespace.key` of a metafield. */
  readonly brand: BrandSource;
  /** `namespace.key` of the metafield with the page that the service should read; empty: none. */
  readonly sourceUrl: string;
  /** `namespace.key` of the metafield with the text that the service should search for; empty: none. */
  readonly referenceString: string;
  /** Codes of the service's product lists that every product of the store joins. */
  readonly productLists: readonly string[];
  /** Tag of the store to the id of the service's tag. */
  readonly tags: Readonly<Record<string, number>>;
}

/** `auto`, `vendor`, `none`, or the name of a metafield. */
export type BrandSource = string;

/** A text of the product, its tags (which are only added), or its images’ alternative texts (only where empty). */
export type WrittenPart = StoreField | typeof SHORT_DESCRIPTION | 'tags' | typeof IMAGE_ALTS;

export interface WriteBackSettings {
  readonly mode: 'auto' | 'review' | 'off';
  readonly onConflict: 'skip' | 'overwrite';
  /** Catalog field (`name`, or `sections.CODE`) to the part of the product that it is written to. */
  readonly fields: Readonly<Record<string, WrittenPart>>;
  /** Attribute code to `namespace.key` of a metafield that the merchant has defined. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Catalog field of a variant (`description`, or `sections.CODE`) to `namespace.key` of a metafield of variants. */
  readonly variants: Readonly<Record<string, string>>;
  /** With `create`, a metafield without a definition gets one. */
  readonly definitions: 'none' | 'create';
  /** Null: further attributes are not written. */
  readonly sections: { readonly namespace: string } | null;
  readonly locales: readonly string[];
  /** Elements of the merchant's description that stay after a generated one. */
  readonly keep: readonly ('img' | 'iframe' | 'video' | 'table')[];
  /** Further hosts that pictures in generated texts may be from. */
  readonly imageHosts: readonly string[];
  readonly gates: GateSettings;
}

/** The checks that a generated text must pass to be written without a review. */
export interface GateSettings {
  /** In characters of plain text; 0: no bound. */
  readonly title: { readonly maxLength: number };
  readonly descriptionHtml: { readonly minLength: number; readonly maxLength: number };
  /** Patterns of RE2 that no text may match. */
  readonly forbid: readonly string[];
  /** A number with a unit must occur in the source or in an attribute. */
  readonly numbers: boolean;
  /** A text must be in the workspace's locale. */
  readonly language: boolean;
  /** A new description has at least this share of the present one's length; 0: off. */
  readonly shrink: number;
  /** `review`: the write-back waits for a person. `block`: it is rejected. */
  readonly onFail: 'review' | 'block';
}

export interface FilterSettings {
  readonly status: readonly ProductStatus[];
  readonly query: string;
}
