import type { StoreEvents } from '../domain/store-port.js';
import { ShopifyEvents } from './shopify/events.js';
import { SHOPIFY } from './shopify/kind.js';
import { WooEvents } from './woocommerce/events.js';
import { WOOCOMMERCE } from './woocommerce/kind.js';

/** The settings that events of a store need. */
export interface EventSettings {
  readonly kind: string;
  readonly shop: string;
  readonly webhookSecret?: string | undefined;
}

/** The kinds of stores. Each has a route for its events. */
export const STORE_KINDS = [SHOPIFY, WOOCOMMERCE] as const;

/**
 * The events of a store of this kind. Without settings, those of a store that does not exist: nothing is signed then. A process that
 * only receives loads nothing else of a store.
 */
export function createStoreEvents(kind: string, settings: EventSettings | null): StoreEvents {
  const own = settings?.kind === kind ? settings : undefined;
  return kind === WOOCOMMERCE
    ? new WooEvents(own?.webhookSecret)
    : new ShopifyEvents(own?.shop, own?.webhookSecret);
}
