import { metafieldNamesIn, variantMetafieldsIn } from '../domain/metafield-key.js';
import type { LiveProduct, LiveTranslations, StoreCategory, StoreConnector } from '../domain/store-port.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { hostOfAddress } from '../domain/web-address.js';
import { localesOf, placeOfTarget } from '../domain/write-target.js';
import type { CategoriesView } from '../planner/decided-category.js';
import type { DefinitionsView } from '../planner/defined-value.js';
import { ownValue } from '../planner/live-value.js';
import { matchesPattern } from '../runtime/linear-pattern.js';
import { basesIn, type LiveByLocale } from '../planner/translations.js';
import type { Store } from './connections.js';

/**
 * The store's translations of the targets, by locale; null when the product is gone. Sends no request without
 * targets.
 */
export async function readTranslations(
  connector: Pick<StoreConnector, 'readTranslations'>,
  storeId: string,
  targets: readonly string[],
): Promise<LiveByLocale | null> {
  const live = new Map<string, LiveTranslations>();
  for (const locale of localesOf(targets)) {
    const read = await connector.readTranslations(storeId, locale, basesIn(locale, targets));
    if (read === null) return null;
    live.set(locale, read);
  }
  return live;
}

/** Why a translation could not be read, which differs from an empty one; null for one that was read, and for any other target. */
export function unreadTranslation(target: string, translations: LiveByLocale): string | null {
  const { locale } = placeOfTarget(target);
  return locale === null ? null : (translations.get(locale)?.problem ?? null);
}

/** The hosts that generated pictures may be from, whatever the product uses: those of the store's images, and the configured ones. */
export function pictureHostsOf({ connector, settings }: Pick<Store, 'connector' | 'settings'>): string[] {
  const addresses = [
    ...connector.imageOrigins,
    ...settings.writeBack.imageHosts.map((host) => `https://${host}`),
  ];
  return addresses.flatMap((address) => hostOfAddress(address) ?? []);
}

/** The current value of a target of any kind. */
export function currentValue(target: string, live: LiveProduct, translations: LiveByLocale): string | null {
  const { locale, base } = placeOfTarget(target);
  if (locale !== null) return translations.get(locale)?.texts.get(base)?.value ?? null;
  return ownValue(base, live);
}

/** The definitions of the metafields among the targets. Sends no request without one. */
export async function readDefinitions(store: Store, targets: readonly string[]): Promise<DefinitionsView> {
  const { connector } = store;
  const names = metafieldNamesIn(targets);
  const ofVariants = [...new Set([...variantMetafieldsIn(targets).values()].flat())];
  return {
    known: {
      product: names.length === 0 ? new Map() : await connector.readDefinitions(names, 'product'),
      variant: ofVariants.length === 0 ? new Map() : await connector.readDefinitions(ofVariants, 'variant'),
    },
    create: store.settings.writeBack.definitions === 'create',
    matches: matchesPattern,
  };
}

/** The categories that the intended texts name, by text. Sends no request without one. */
export async function readCategories(
  connector: Pick<StoreConnector, 'findCategories'>,
  intended: readonly IntendedValue[],
): Promise<CategoriesView> {
  const found = new Map<string, readonly StoreCategory[]>();
  for (const { target, value, withheld } of intended)
    if (target === 'category' && withheld === undefined)
      found.set(value, await connector.findCategories(value));
  return found;
}
