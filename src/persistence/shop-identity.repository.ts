import { Injectable } from '@nestjs/common';
import { CodedError } from '../domain/errors.js';
import type { KeptIdentity } from '../domain/store-port.js';
import { Database } from './database.js';
import { StoreStateEntity } from './entities/store-state.entity.js';
import { isUniqueViolation } from './statement-error.js';

/** Which shop each store is. */
@Injectable()
export class ShopIdentityRepository {
  constructor(private readonly db: Database) {}

  of(store: string): KeptIdentity {
    const states = this.db.repository(StoreStateEntity);
    return {
      read: async () => {
        const { shopId = null, shopAddress = null } = (await states.findOneBy({ store })) ?? {};
        return shopId === null || shopAddress === null ? null : { id: shopId, address: shopAddress };
      },
      keep: async ({ id, address }) => {
        try {
          await states.upsert({ store, shopId: id, shopAddress: address }, ['store']);
        } catch (error) {
          if (!isUniqueViolation(error)) throw error;
          const other = (await states.findOneBy({ shopId: id }))?.store ?? 'another key';
          throw new CodedError(
            'misconfigured',
            `stores.${other} already has the products of the shop at ${address}, or of the one that it was copied from. Configure it once`,
            { cause: error, side: 'store' },
          );
        }
      },
    };
  }

  /** The shop that answers next is the store's own from then on. */
  async forget(store: string): Promise<void> {
    await this.db.repository(StoreStateEntity).update({ store }, { shopId: null, shopAddress: null });
  }
}
