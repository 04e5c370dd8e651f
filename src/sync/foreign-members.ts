import type { ProductBody } from '../catalog/product-body.js';
import type { CatalogProduct } from '../catalog/schemas.js';
import type { CatalogProductBody, JsonValue } from '../domain/catalog-product.js';

const OBJECT_FIELDS = ['metadata', 'open_attributes'] as const;

type Members = Readonly<Record<string, JsonValue>>;

/**
 * The body with the members of `metadata` and `open_attributes` that other systems keep in the catalog product. Whether a PATCH merges
 * an object or replaces it is not documented, so that members which are left out may be lost. `held` is the product as it was read just
 * now, and `before` the body that we sent last: what it held and the new one does not is ours to drop.
 */
export function withForeignMembers<Body extends Partial<CatalogProductBody>>(
  held: CatalogProduct,
  body: Body,
  before: Partial<CatalogProductBody> | null,
): Body {
  return { ...body, ...merged(held, body, before ?? {}) };
}

function merged(
  held: CatalogProduct,
  body: Partial<CatalogProductBody>,
  before: Partial<CatalogProductBody>,
): Partial<CatalogProductBody> {
  return Object.fromEntries(
    OBJECT_FIELDS.flatMap((field) => {
      const ours = body[field];
      if (ours === undefined) return [];
      const foreign = Object.entries((held[field] ?? {}) as Members).filter(
        ([name]) => !Object.hasOwn(before[field] ?? {}, name),
      );
      return [[field, { ...Object.fromEntries(foreign), ...ours }] as const];
    }),
  );
}

/**
 * The object fields of `sent` whose dropped members the answer still shows, with these members set to null. A service that merges
 * objects keeps a member that a change leaves out. `before` is what we sent earlier; only a member of it is ours to clear. Null when
 * nothing is left.
 */
export function droppedMembersLeft(
  answered: CatalogProduct,
  sent: Partial<CatalogProductBody>,
  before: Partial<CatalogProductBody>,
): ProductBody | null {
  const left = ([...OBJECT_FIELDS, 'crawl_configuration'] as const).flatMap((field) => {
    const ours = sent[field];
    if (ours === undefined) return [];
    const held = (answered[field] ?? {}) as Members;
    const dropped = Object.keys(before[field] ?? {}).filter(
      (name) => !Object.hasOwn(ours, name) && Object.hasOwn(held, name) && held[name] !== null,
    );
    if (dropped.length === 0) return [];
    return [[field, { ...ours, ...Object.fromEntries(dropped.map((name) => [name, null])) }] as const];
  });
  return left.length === 0 ? null : Object.fromEntries(left);
}
