import type { MetafieldKey } from './metafield-key.js';

/** The owner of the metafields of a definition. A product's definition says nothing about the metafields of its variants. */
export type MetafieldOwner = 'product' | 'variant';

/** A metafield as the merchant defined it. */
export interface MetafieldDefinition extends MetafieldKey {
  /** The store's type name, such as `number_integer` or `list.single_line_text_field`. */
  readonly type: string;
  /** Rules by the store's names (`min`, `choices`, `list.max`), with their values as the store writes them. */
  readonly validations: readonly { readonly name: string; readonly value: string | null }[];
}

/** A definition to create. */
export interface NewMetafieldDefinition extends MetafieldKey {
  readonly owner: MetafieldOwner;
  readonly type: string;
  /** Shown in the store’s admin. */
  readonly name: string;
}

/** `exists`: somebody else created it meanwhile. */
export type DefinitionOutcome =
  { readonly outcome: 'created' | 'exists' } | { readonly outcome: 'refused'; readonly reason: string };
