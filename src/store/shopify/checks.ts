import { CodedError } from '../../domain/errors.js';
import { shopIdentity } from '../../domain/external-id.js';
import type { StoreFinding, StoreProbe } from '../../domain/store-port.js';
import type { ShopifyClient } from './client.js';
import type { MetafieldOwner } from '../../domain/metafield-definition.js';
import type { MetafieldDefinitions } from './definitions.js';
import type { ShopifyOptions } from './options.js';
import type { ShopifyParts } from './parts.js';
import { BULK_RECENT, SHOP_LOCALES, WHO_AM_I } from './documents.js';
import { refusedWith } from './faults.js';
import { bulkRecentData, shopLocalesData, whoAmIData } from './schemas.js';
import { SHOPIFY } from './kind.js';
import { missingScopes } from './install.js';
import { localeProblem } from './translations.js';

/** See the port's `probe`. The findings are about the scopes, the API version and what the settings need. */
export async function probeStore(
  { client, definitions }: Pick<ShopifyParts, 'client' | 'definitions'>,
  settings: ShopifyOptions,
): Promise<StoreProbe> {
  const { data, servedVersion } = await client.run(WHO_AM_I, {}, whoAmIData);
  const { name, myshopifyDomain } = data.shop;
  if (myshopifyDomain.toLowerCase() !== settings.shop.toLowerCase())
    throw new CodedError('misconfigured', otherShop(myshopifyDomain, settings.shop), { side: 'store' });
  const granted = data.currentAppInstallation.accessScopes.map(({ handle }) => handle);
  return {
    identity: shopIdentity(SHOPIFY, settings.shop),
    name,
    servedVersion: servedVersion === settings.apiVersion ? null : servedVersion,
    mayWriteProducts: granted.includes('write_products'),
    findings: async () => [
      { level: 'ok', what: 'shop', detail: `the token belongs to ${settings.shop}` },
      scopeFinding(granted, settings),
      versionFinding(data.publicApiVersions, servedVersion, settings),
      await bulkFinding(client),
      ...(await localeFindings(client, settings.locales ?? [])),
      ...(await definitionFindings(definitions, settings.definitions ?? {}, 'product')),
      ...(await definitionFindings(definitions, settings.definitions ?? {}, 'variant')),
    ],
  };
}

function otherShop(domain: string, shop: string): string {
  return `the token belongs to ${domain}, not to ${shop}: external ids would name the wrong shop. Correct shop, endpoint or the credentials.`;
}

function scopeFinding(granted: readonly string[], { requiredScopes = [] }: ShopifyOptions): StoreFinding {
  const what = 'scopes';
  const required = [...new Set(['read_products', 'write_products', ...requiredScopes])];
  const missing = missingScopes(granted, required);
  if (missing.length === 0) return { level: 'ok', what, detail: required.join(', ') };
  const detail = `the app lacks ${missing.join(', ')}: add ${missing.length === 1 ? 'it' : 'them'} to the app’s scopes and install it again`;
  return { level: 'fail', what, detail };
}

function versionFinding(
  versions: readonly { handle: string; supported: boolean }[],
  served: string | null,
  { apiVersion }: ShopifyOptions,
): StoreFinding {
  const what = 'API version';
  const supported = versions.filter((version) => version.supported).map(({ handle }) => handle);
  if (served !== null && served !== apiVersion) {
    const detail = `the store serves ${served} in place of ${apiVersion}, which it has retired: set apiVersion to one of ${supported.join(', ')}`;
    return { level: 'fail', what, detail };
  }
  if (!supported.includes(apiVersion)) {
    const detail = `${apiVersion} is not among the versions that the store supports: set apiVersion to one of ${supported.join(', ')}`;
    return { level: 'warn', what, detail };
  }
  return { level: 'ok', what, detail: apiVersion };
}

/** Read-only. The store refuses the list of past operations to an app without bulk operations. */
async function bulkFinding(client: ShopifyClient): Promise<StoreFinding> {
  const what = 'bulk operations';
  try {
    await client.run(BULK_RECENT, { first: 1 }, bulkRecentData);
    return { level: 'ok', what, detail: 'allowed: a full run is one export' };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { message } = error;
    const detail = refusedWith(error, 'ACCESS_DENIED')
      ? 'the app may not use them: full runs go page by page, which takes longer. Enable bulk operations under the app’s API access requests'
      : `could not be looked at (${message}): where they are refused, full runs go page by page`;
    return { level: 'warn', what, detail };
  }
}

async function localeFindings(
  client: ShopifyClient,
  locales: readonly string[],
): Promise<readonly StoreFinding[]> {
  if (locales.length === 0) return [];
  const what = 'translations';
  try {
    const { data } = await client.run(SHOP_LOCALES, {}, shopLocalesData);
    return locales.map((locale): StoreFinding => {
      const problem = localeProblem(locale, data.shopLocales);
      if (problem !== null) return { level: 'warn', what, detail: problem };
      const isShown = data.shopLocales.some((each) => each.locale === locale && each.published);
      return isShown
        ? { level: 'ok', what, detail: `${locale} is a language of the shop` }
        : {
            level: 'warn',
            what,
            detail: `${locale} is a language of the shop that is not published: translations are written, and nobody sees them yet`,
          };
    });
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const detail = `the shop’s languages could not be read: ${error.message}`;
    return [{ level: 'warn', what, detail }];
  }
}

async function definitionFindings(
  definitions: MetafieldDefinitions,
  settings: NonNullable<ShopifyOptions['definitions']>,
  owner: MetafieldOwner,
): Promise<readonly StoreFinding[]> {
  const names = settings[owner] ?? [];
  if (names.length === 0) return [];
  const what = owner === 'product' ? 'metafield definitions' : 'metafield definitions of variants';
  try {
    const defined = await definitions.read(names, owner);
    const missing = names.filter((name) => !defined.has(name));
    if (missing.length === 0) return [{ level: 'ok', what, detail: names.join(', ') }];
    const detail = `the store does not define ${missing.join(', ')}: define them, or set writeBack.definitions: create`;
    return [{ level: 'warn', what, detail }];
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return [{ level: 'warn', what, detail: `the definitions could not be read: ${error.message}` }];
  }
}
