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

/** The beginning of the external_ids of a store's products. */
export function identityOf({ settings }: Pick<Store, 'settings'>): string {
  return shopIdentity(settings.kind, settings.shop);
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
  const configured = stores.map((store) => ({ key: store.key, identity: identityOf(store) }));
  if (configured.length === 0) return;
  if (policy === 'refuse') {
    refuseRenames(planOrThrow(configured, await keys.all()).renamed);
    return;
  }
  const known = planOrThrow(configured, await keys.all());
  if (known.added.length === 0 && known.renamed.length === 0) return;
  await keys.inTurn(async (runner) => {
    const { added, renamed } = planOrThrow(configured, await keys.all(runner));
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
    for (const entry of added) await keys.add(entry, runner);
  });
}

/**
 * Throws `misconfigured` when another process has moved the store's rows to another key, and when the key holds the rows of another
 * shop. A reload may have brought both, so every request of a run asks.
 */
export async function assertKeyIsCurrent(
  keys: Pick<StoreKeyRepository, 'claim'>,
  store: Pick<Store, 'key' | 'settings'>,
): Promise<void> {
  const identity = identityOf(store);
  const kept = await keys.claim({ identity, store: store.key });
  const [renamed] = planOrThrow([{ key: store.key, identity }], kept).renamed;
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
