import type { StoreConnector } from '../domain/store-port.js';
import type { ConnectorParts } from './connector-parts.js';
import { shopifyConnector, type ShopifySettings } from './shopify/from-settings.js';
import { wooConnector, type WooSettings } from './woocommerce/from-settings.js';

export type { KeptToken, KeptTokens } from './shopify/auth.js';
export type { TokenGrant } from './shopify/token-endpoint.js';
export type { ConnectorParts, RequestReport } from './connector-parts.js';

/** The settings of a store, by its kind. */
export type ConnectorSettings = ShopifySettings | WooSettings;

/** Creates the connector of a configured store, without any request. Throws `misconfigured` for unusable settings. */
export function createStoreConnector(settings: ConnectorSettings, parts: ConnectorParts): StoreConnector {
  return settings.kind === 'woocommerce' ? wooConnector(settings, parts) : shopifyConnector(settings, parts);
}
