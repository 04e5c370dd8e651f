import type { StoreConnector } from '../../domain/store-port.js';
import type { ConnectorParts } from '../connector-parts.js';
import { WooConnector } from './connector.js';
import type { ApiKey } from './oauth.js';

/** The settings of such a store that its connector reads. */
export interface WooSettings {
  readonly kind: 'woocommerce';
  readonly url: string;
  readonly auth: ApiKey;
  readonly webhookSecret?: string | undefined;
  readonly mapping: { readonly mpn: string; readonly asin: string };
  readonly writeBack: {
    readonly sections: { readonly namespace: string } | null;
    readonly attributes: Readonly<Record<string, string>>;
  };
}

/** Sends no request. */
export function wooConnector(
  { url, auth, webhookSecret, mapping, writeBack }: WooSettings,
  { identity, onRequest }: ConnectorParts,
): StoreConnector {
  return new WooConnector({
    url,
    key: auth,
    webhookSecret,
    namespace: writeBack.sections?.namespace ?? null,
    attributes: Object.values(writeBack.attributes),
    variantMetafields: [mapping.mpn, mapping.asin].filter((name) => name !== ''),
    identity,
    onRequest,
  });
}
