// The installation of the app by a merchant.
export {
  assertGranted,
  consentPage,
  exchangeCode,
  isSignedQuery,
  scopesFor,
  shopOf,
  type InstallTarget,
} from './shopify/install.js';
