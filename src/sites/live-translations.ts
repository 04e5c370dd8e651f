import { metafieldNamesIn, metafieldTarget } from '../domain/metafield-key.js';
import {
  liveField,
  type LiveProduct,
  type LiveTranslations,
  type StoreConnector,
} from '../domain/store-port.js';
import { localesOf, placeOfTarget } from '../domain/write-target.js';
import type { DefinitionsView } from '../planner/defined-value.js';
import { isStoreField } from '../planner/generated-content.js';
import { matchesPattern } from '../runtime/linear-pattern.js';
import { basesIn, type LiveByLocale } from '../planner/translations.js';
import type { Store } from './sites.js';

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

/** The current value of a target of any kind. */
export function currentValue(target: string, live: LiveProduct, translations: LiveByLocale): string | null {
  const { locale, base } = placeOfTarget(target);
  if (locale !== null) return translations.get(locale)?.texts.get(base)?.value ?? null;
  if (isStoreField(base)) return liveField(live, base);
  return live.metafields.find((field) => metafieldTarget(field) === base)?.value ?? null;
}

/** The definitions of the metafields among the targets. Sends no request without one. */
export async function readDefinitions(store: Store, targets: readonly string[]): Promise<DefinitionsView> {
  const names = metafieldNamesIn(targets);
  return {
    known: names.length === 0 ? new Map() : await store.connector.readDefinitions(names),
    create: store.settings.writeBack.definitions === 'create',
    matches: matchesPattern,
  };
}
