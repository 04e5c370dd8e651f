/** The data of the sandbox shop. Records are immutable: a write puts a new record in the old one's place. */

export const STATUSES = ['draft', 'pending', 'private', 'publish', 'future', 'trash'] as const;
/** `archived` stands for the statuses that plugins register, which no list shows. */
export type Status = (typeof STATUSES)[number] | 'archived';

/** A product or a variation: both are posts of one numbering. */
export interface Post {
  readonly id: number;
  /** The product of a variation; 0 for products. */
  readonly parentId: number;
  readonly type: 'simple' | 'variable' | 'variation';
  readonly row: PostRow;
  readonly sku: string;
  /** GTIN, UPC, EAN or ISBN. */
  readonly globalUniqueId: string;
  readonly weight: string;
  readonly categories: readonly number[];
  readonly brands: readonly number[];
  readonly tags: readonly number[];
  readonly images: readonly Image[];
  readonly attributes: readonly Attribute[];
  readonly meta: readonly Meta[];
  readonly modifiedAt: Date;
}

/** What one table row of the shop holds: whoever writes one of these fields writes all of them. */
export interface PostRow {
  readonly name: string;
  readonly slug: string;
  readonly status: Status;
  readonly description: string;
  readonly shortDescription: string;
  readonly menuOrder: number;
}

export interface Image {
  readonly id: number;
  readonly src: string;
  readonly alt: string;
}

export interface Attribute {
  readonly name: string;
  /** True where variations differ by it. */
  readonly variation: boolean;
  /** Of a variation: one. */
  readonly options: readonly string[];
}

export interface Meta {
  readonly id: number;
  readonly key: string;
  readonly value: unknown;
}

export type Taxonomy = 'categories' | 'tags' | 'brands';

export interface Term {
  readonly id: number;
  readonly taxonomy: Taxonomy;
  /** As it is kept: `&` is encoded. */
  readonly name: string;
  readonly slug: string;
  readonly parent: number;
}

/** An answer that is an error. */
export class RestError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  body(): object {
    return { code: this.code, message: this.message, data: { status: this.status } };
  }
}

export function invalidId(status: 400 | 404): RestError {
  return new RestError(status, 'woocommerce_rest_product_invalid_id', 'Invalid ID.');
}
