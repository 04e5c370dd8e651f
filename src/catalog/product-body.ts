import type { CatalogProductBody } from '../domain/catalog-product.js';

type FreeForm = Readonly<Record<string, unknown>>;
type Plain = Omit<
  CatalogProductBody,
  'variants' | 'translations' | 'locale' | 'open_attributes' | 'metadata'
>;
type Fields = { readonly [Field in keyof Plain]?: Plain[Field] | null } & {
  readonly open_attributes?: FreeForm | null;
  readonly metadata?: FreeForm | null;
};

/**
 * A create, replace or update body: the writable fields of docs/catalog-rules.md#product. Nothing is required, and null empties a field.
 * The texts of further languages and the language itself are no fields.
 */
export type ProductBody = Fields & {
  readonly variants?: readonly Fields[] | null;
  readonly translations?: never;
  readonly locale?: never;
};
