import type { ProductInput } from './schemas.js';

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/**
 * A create, replace or update body: the writable fields of docs/catalog-rules.md#product. The type keeps the texts of further
 * languages out, which are no field.
 */
export type ProductBody = DeepReadonly<ProductInput> & { readonly translations?: never };
