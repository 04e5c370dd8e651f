import type { StoreConnector } from '../../domain/store-port.js';
import type { ConnectorParts } from '../connector-parts.js';
import { ShopifyConnector } from './connector.js';
import { scopesFor } from './install.js';

/** The settings of such a store that its connector reads. */
export interface ShopifySettings {
  readonly kind: 'shopify';
  readonly shop: string;
  readonly endpoint?: string | undefined;
  readonly apiVersion: string;
  readonly auth: {
    readonly accessToken?: string | undefined;
    readonly clientId?: string | undefined;
    readonly clientSecret?: string | undefined;
  };
  readonly filter: { readonly query: string };
  readonly mapping: {
    readonly openAttributes: readonly string[];
    readonly mpn: string;
    readonly asin: string;
  };
  readonly writeBack: {
    readonly locales: readonly string[];
    readonly fields: Readonly<Record<string, string>>;
    readonly attributes: Readonly<Record<string, string>>;
    readonly variants: Readonly<Record<string, string>>;
    readonly definitions: 'none' | 'create';
  };
}

/** Throws `misconfigured` for settings that cannot work. Sends no request. */
export function shopifyConnector(
  { shop, endpoint, apiVersion, auth, filter, mapping, writeBack }: ShopifySettings,
  { log, tokens, onBudget, onRequest }: ConnectorParts,
): StoreConnector {
  const { accessToken, clientId = '', clientSecret = '' } = auth;
  return new ShopifyConnector({
    shop,
    endpoint,
    apiVersion,
    auth: accessToken === undefined ? { clientId, clientSecret, kept: tokens } : { accessToken },
    query: filter.query,
    requiredScopes: scopesFor(writeBack),
    locales: writeBack.locales,
    metafieldLocales: mapping.openAttributes.length === 0 ? [] : writeBack.locales,
    definitions:
      writeBack.definitions === 'create'
        ? {}
        : { product: Object.values(writeBack.attributes), variant: Object.values(writeBack.variants) },
    variantMetafields: [mapping.mpn, mapping.asin].filter((name) => name !== ''),
    log,
    onBudget,
    onRequest,
  });
}
