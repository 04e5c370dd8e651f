import { isDeepStrictEqual } from 'node:util';
import type { AppConfig } from '../config/index.js';
import type { Connections, ConnectionSet, Store, Workspace } from './connections.js';

/** The parts of the configuration that workspaces and stores are made of. */
export type ConnectionSettings = Pick<AppConfig, 'workspaces' | 'stores' | 'storeTemplate'>;

/** Makes the members of a set. */
export interface ConnectionParts {
  readonly workspace: (key: string, settings: Workspace['settings']) => Workspace;
  /** `before`: the store as it was, with the same settings. Its workspace may be another one. */
  readonly store: (
    key: string,
    settings: Store['settings'],
    place: { readonly workspace: Workspace; readonly isInstalled: boolean },
    before: Store | null,
  ) => Store;
}

/** Makes workspaces and stores. Those with the same settings as in `present` are kept. `installed`: the shops of merchants. */
export function connectionSet(
  config: Pick<ConnectionSettings, 'workspaces' | 'stores'>,
  installed: ReadonlySet<string>,
  present: Connections | null,
  make: ConnectionParts,
): ConnectionSet {
  const workspaces = new Map(
    Object.entries(config.workspaces).map(([key, settings]): [string, Workspace] => {
      const before = present?.workspace(key);
      const isSame = before !== undefined && isDeepStrictEqual(before.settings, settings);
      return [key, isSame ? before : make.workspace(key, settings)];
    }),
  );
  const stores = Object.entries(config.stores).flatMap(([key, settings]): Store[] => {
    const workspace = workspaces.get(settings.workspace);
    // The schema of the configuration rejects a store without a workspace.
    if (!workspace) return [];
    const isInstalled = installed.has(settings.shop);
    const before = present?.findStore(key);
    const isSame = before?.isInstalled === isInstalled && isDeepStrictEqual(before.settings, settings);
    if (isSame && before.workspace === workspace) return [before];
    return [make.store(key, settings, { workspace, isInstalled }, isSame ? before : null)];
  });
  return { workspaces: [...workspaces.values()], stores };
}
