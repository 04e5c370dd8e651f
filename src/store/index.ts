import type { StoreConnector } from '../domain/store-port.js';
import { ShopifyConnector } from './shopify/connector.js';
import type { ShopifyOptions } from './shopify/options.js';

export type { KeptToken, KeptTokens } from './shopify/auth.js';
export type { TokenGrant } from './shopify/token-endpoint.js';
export type { RequestReport, ShopifyOptions } from './shopify/options.js';

/** The kind of a store, and the options of its connector. */
export type StoreConnectorOptions = { readonly kind: 'shopify' } & ShopifyOptions;

/** Creates the connector of a configured store, without any request. Throws `misconfigured` for unusable options. */
export function createStoreConnector(options: StoreConnectorOptions): StoreConnector {
  return new ShopifyConnector(options);
}
