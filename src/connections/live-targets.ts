import type { LiveProduct } from '../domain/store-port.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { hostOfAddress } from '../domain/web-address.js';
import type { CategoriesView } from '../planner/decided-category.js';
import type { DefinitionsView } from '../planner/defined-value.js';
import { matchesPattern } from '../runtime/linear-pattern.js';
import type { Store } from './connections.js';

/** Why a value could not be read, which differs from an empty one; null for one that was read. */
export function unreadReason(live: LiveProduct, target: string): string | null {
  const closed = live.values.get(target)?.closed;
  return closed?.why === 'unreadable' ? closed.reason : null;
}

/** The hosts that generated pictures may be from, whatever the product uses: those of the store's images, and the configured ones. */
export function pictureHostsOf({ connector, settings }: Pick<Store, 'connector' | 'settings'>): string[] {
  const addresses = [
    ...connector.imageOrigins,
    ...settings.writeBack.imageHosts.map((host) => `https://${host}`),
  ];
  return addresses.flatMap((address) => hostOfAddress(address) ?? []);
}

/** What the store lets stand where the intended texts go. */
export async function readConstraints(
  { connector, settings }: Store,
  intended: readonly IntendedValue[],
): Promise<{ readonly definitions: DefinitionsView; readonly categories: CategoriesView }> {
  const wanted = intended.filter(({ withheld }) => withheld === undefined);
  const { freeText, definitions, categories } = await connector.constraints(wanted);
  const create = settings.writeBack.definitions === 'create';
  return { definitions: { known: definitions, freeText, create, matches: matchesPattern }, categories };
}
