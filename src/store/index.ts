import type { StoreConnector } from '../domain/store-port.js';
import { ShopifyConnector } from './shopify/connector.js';
import type { ShopifyOptions } from './shopify/options.js';

export { keptOfEvent, productIdOfEvent } from './shopify/product-event.js';
export { hasShopifySignatureForm, isShopifySignature } from './shopify/webhook-signature.js';
export type { KeptToken, KeptTokens } from './shopify/auth.js';
export {
  assertGranted,
  consentPage,
  exchangeCode,
  isSignedQuery,
  scopesFor,
  shopOf,
  type InstallTarget,
} from './shopify/install.js';
export type { TokenGrant } from './shopify/token-endpoint.js';
export { complianceEventOf } from './shopify/compliance-event.js';
export { isUninstallOf } from './shopify/uninstall-event.js';
export type { RequestReport, ShopifyOptions } from './shopify/options.js';

/** The kind of a store, and the options of its connector. */
export type StoreConnectorOptions = { readonly kind: 'shopify' } & ShopifyOptions;

/** Creates the connector of a configured store, without any request. Throws `misconfigured` for unusable options. */
export function createStoreConnector(options: StoreConnectorOptions): StoreConnector {
  return new ShopifyConnector(options);
}
