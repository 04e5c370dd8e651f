import { configuredIdentity } from '../config/index.js';
import { CodedError } from '../domain/errors.js';
import { shopIdentity } from '../domain/external-id.js';
import type { StoreKeyRepository } from '../persistence/store-key.repository.js';
import { planStoreKeys, type ConfiguredStore } from '../planner/store-keys.js';
import type { Logger } from '../runtime/logger.js';
import type { Store } from './connections.js';

/** The reaction of a process to a shop with a new key. The daemon, and commands that change something, move its rows. */
export type RenamePolicy = 'move' | 'refuse';

/** Injection token of the process's `RenamePolicy`. */
export const RENAME_POLICY = Symbol('RENAME_POLICY');

/** By the address, where the shop itself says which one it is. */
function configuredStore({ key, settings }: Pick<Store, 'key' | 'settings'>): ConfiguredStore {
  const identity = shopIdentity(settings.kind, settings.shop);
  return { key, identity, mayMove: configuredIdentity(settings) === null };
}

/**
 * Ties each configured shop to the key under which its rows are kept. Throws `misconfigured` when a key holds the rows of another shop,
 * and when a process that still has the old key works on a run. Under `refuse`, it throws for every shop with a new key.
 */
export async function settleStoreKeys(
  keys: StoreKeyRepository,
  stores: readonly Pick<Store, 'key' | 'settings'>[],
  policy: RenamePolicy,
  logger: Logger,
): Promise<void> {
  const configured = stores.map(configuredStore);
  if (configured.length === 0) return;
  if (policy === 'refuse') {
    refuseRenames(planOrThrow(configured, await keys.all()).renamed);
    return;
  }
  const known = planOrThrow(configured, await keys.all());
  if (Object.values(known).every(({ length }) => length === 0)) return;
  await keys.inTurn(async (runner) => {
    const { added, renamed, moved } = planOrThrow(configured, await keys.all(runner));
    for (const { from, to } of renamed) {
      if (await keys.isWorkedOn(from, runner)) {
        throw new CodedError(
          'misconfigured',
          `stores.${from} is now stores.${to}, but another process still works on a run of it. Stop that process, then start again`,
        );
      }
      await keys.rename(from, to, runner);
      logger.info({ from, to }, 'the rows of a store follow its shop to a new key');
    }
    for (const entry of moved) await keys.move(entry, runner);
    for (const entry of added) await keys.add(entry, runner);
  });
}

/**
 * Throws `misconfigured` when another process has moved the store's rows to another key, and when the key holds the rows of another
 * shop. A reload may have brought both, so every request of a run asks.
 */
export async function assertKeyIsCurrent(
  keys: Pick<StoreKeyRepository, 'claim' | 'move'>,
  store: Pick<Store, 'key' | 'settings'>,
): Promise<void> {
  const configured = configuredStore(store);
  const kept = await keys.claim({ identity: configured.identity, store: store.key });
  const {
    renamed: [renamed],
    moved,
  } = planOrThrow([configured], kept);
  for (const entry of moved) await keys.move(entry);
  if (renamed === undefined) return;
  throw new CodedError(
    'misconfigured',
    `the rows of ${store.settings.shop} are kept as stores.${renamed.from} by now. Restart this process with the present configuration`,
  );
}

function planOrThrow(configured: readonly ConfiguredStore[], kept: Parameters<typeof planStoreKeys>[1]) {
  const plan = planStoreKeys(configured, kept);
  if ('refused' in plan) throw new CodedError('misconfigured', plan.refused);
  return plan;
}

function refuseRenames(renamed: readonly { readonly from: string; readonly to: string }[]): void {
  const [first] = renamed;
  if (first === undefined) return;
  throw new CodedError(
    'misconfigured',
    `stores.${first.to} was stores.${first.from} so far. Start the daemon or a sync to move its rows to the new key`,
  );
}
