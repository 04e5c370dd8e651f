// The app that merchants install in their shops: its consent page, its grants, and the requests of the platform to it.
export { APP_EVENTS, appEventOf, INSTALL_ROUTES, isAppSignature, mayBeAppSignature } from './shopify/app.js';
export {
  assertGranted,
  consentPage,
  exchangeCode,
  isSignedQuery,
  scopesFor,
  shopName,
  shopOf,
  type InstallTarget,
} from './shopify/install.js';
export { SHOPIFY as INSTALLED_KIND } from './shopify/kind.js';
