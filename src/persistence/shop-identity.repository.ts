import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
import { StoreStateEntity } from './entities/store-state.entity.js';

interface ShopIdentity {
  readonly id: string;
  readonly address: string;
}

/** Which shop each store is. */
@Injectable()
export class ShopIdentityRepository {
  constructor(private readonly db: Database) {}

  /** What is remembered of one store's shop. */
  of(store: string): { read(): Promise<ShopIdentity | null>; keep(shop: ShopIdentity): Promise<void> } {
    const states = this.db.repository(StoreStateEntity);
    return {
      read: async () => {
        const { shopId = null, shopAddress = null } = (await states.findOneBy({ store })) ?? {};
        return shopId === null || shopAddress === null ? null : { id: shopId, address: shopAddress };
      },
      keep: async ({ id, address }) => {
        await states.upsert({ store, shopId: id, shopAddress: address }, ['store']);
      },
    };
  }
}
