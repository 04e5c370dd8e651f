import type { StoreFinding } from '../../domain/store-port.js';
import type { ShopFacts } from './shop.js';

/** Plugins that keep a product for each language, by their folders. */
const MULTILINGUAL: Readonly<Record<string, string>> = {
  'sitepress-multilingual-cms': 'WPML',
  polylang: 'Polylang',
  'polylang-pro': 'Polylang Pro',
  'woocommerce-multilingual': 'WPML for WooCommerce',
};

export function shopFindings(
  { version, address, identity, hasStoreId, plugins }: ShopFacts,
  {
    mayWrite,
    secret,
    isPlain,
  }: { readonly mayWrite: boolean; readonly secret: boolean; readonly isPlain: boolean },
): StoreFinding[] {
  const languages = [...plugins].flatMap((plugin) => MULTILINGUAL[plugin] ?? []);
  const findings: StoreFinding[] = [
    { level: 'ok', what: 'shop', detail: `${address} is ${identity}, WooCommerce ${version}` },
    mayWrite
      ? { level: 'ok', what: 'key', detail: 'it may read and write products' }
      : {
          level: 'fail',
          what: 'key',
          detail: 'it may not write products: make a key with read and write access',
        },
  ];
  if (!hasStoreId)
    findings.push({
      level: 'warn',
      what: 'shop id',
      detail: 'the shop names no id, so its host stands for it: update WooCommerce before the first run',
    });
  if (languages.length > 0)
    findings.push({
      level: 'warn',
      what: 'languages',
      detail: `${languages.join(', ')} keeps a product for each language: each is synchronised as a product of its own, and translations are not written`,
    });
  if (!secret)
    findings.push({
      level: 'warn',
      what: 'events',
      detail: 'webhookSecret is not set: changes are found by the schedule alone',
    });
  if (isPlain)
    findings.push({
      level: 'ok',
      what: 'transport',
      detail: 'plain http on the loopback: requests are signed',
    });
  return findings;
}
