import type { CatalogProduct } from '../catalog/schemas.js';
import { CodedError } from '../domain/errors.js';
import { isForeign } from '../domain/external-id.js';
import type { StoreProductEntity } from '../persistence/entities/index.js';

/** The catalog product that our link names belongs to another system by now. Nothing of it is written to the store. */
export class ForeignProductError extends CodedError {
  constructor(externalId: string) {
    super(
      'conflict',
      `its catalog product has the external_id "${externalId.slice(0, 200)}" now: the link is lost`,
    );
  }
}

/** The answer at hand decides, not the stored catalog id. One without an external_id is taken for the linked product. */
export function refuseForeign(
  { externalId }: Pick<StoreProductEntity, 'externalId'>,
  product: Pick<CatalogProduct, 'external_id'> | null | undefined,
): void {
  if (isForeign(product?.external_id, externalId)) throw new ForeignProductError(product?.external_id ?? '');
}
