import type { StoreConnector } from '../domain/store-port.js';
import { ShopifyConnector } from './shopify/connector.js';
import type { ShopifyOptions } from './shopify/options.js';

export { keptOfEvent, productIdOfEvent } from './shopify/product-event.js';
export { hasShopifySignatureForm, isShopifySignature } from './shopify/webhook-signature.js';
export type { RequestReport, ShopifyOptions } from './shopify/options.js';

/** A store of some kind, and what its connector is made of. */
export type StoreConnectorOptions = { readonly kind: 'shopify' } & ShopifyOptions;

/** The connector of a configured store. Calls nobody yet. `misconfigured` for options that cannot work. */
export function createStoreConnector(options: StoreConnectorOptions): StoreConnector {
  return new ShopifyConnector(options);
}
