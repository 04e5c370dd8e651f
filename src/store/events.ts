// Events that a store sends by itself. A process that only receives loads nothing else of a store.
export { complianceEventOf } from './shopify/compliance-event.js';
export { productOfEvent } from './shopify/product-event.js';
export { isUninstallOf } from './shopify/uninstall-event.js';
export { hasShopifySignatureForm, isShopifySignature } from './shopify/webhook-signature.js';
