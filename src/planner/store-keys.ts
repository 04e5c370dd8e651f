/** A store of the configuration: its key, and the shop that its external_ids name, as `kind:shop`. */
export interface ConfiguredStore {
  readonly key: string;
  readonly identity: string;
  /** True where the identity is an address, and the shop itself says which one it is. */
  readonly mayMove?: boolean;
}

/** The key under which the rows of a shop are kept. */
export interface KeptStore {
  readonly store: string;
  readonly identity: string;
}

export interface StoreRename {
  readonly from: string;
  readonly to: string;
  readonly identity: string;
}

export interface StoreKeyPlan {
  /** Shops that have no rows yet. */
  readonly added: readonly KeptStore[];
  /** Shops that the configuration names by a new key: their rows follow. */
  readonly renamed: readonly StoreRename[];
  /** Keys whose shop has another address now. */
  readonly moved: readonly KeptStore[];
}

/** The configuration cannot be used with the rows that there are. */
export interface StoreKeyRefusal {
  readonly refused: string;
}

/**
 * Compares the keys of the configuration with those of the rows; pure. Rows belong to a shop, as their external_ids do, and never to
 * another shop that gets the key later. A shop with a new key keeps its rows. Each shop is configured once. Whether an address leads to
 * the same shop as before is proved by the connector of a shop that may move.
 */
export function planStoreKeys(
  configured: readonly ConfiguredStore[],
  kept: readonly KeptStore[],
): StoreKeyPlan | StoreKeyRefusal {
  const keyOf = new Map(kept.map(({ identity, store }) => [identity, store]));
  const identityOf = new Map(kept.map(({ identity, store }) => [store, identity]));
  const added: KeptStore[] = [];
  const renamed: StoreRename[] = [];
  const moved: KeptStore[] = [];
  for (const { key, identity, mayMove = false } of configured) {
    const owner = identityOf.get(key);
    if (owner !== undefined && owner !== identity) {
      const isTaken = keyOf.has(identity) || configured.some((each) => each.identity === owner);
      if (!mayMove || isTaken)
        return {
          refused: `stores.${key} holds the rows of ${owner} and cannot serve ${identity}. Use another key for it`,
        };
      moved.push({ store: key, identity });
      continue;
    }
    const from = keyOf.get(identity);
    if (from === undefined) added.push({ store: key, identity });
    else if (from !== key) renamed.push({ from, to: key, identity });
  }
  return { added, renamed, moved };
}
