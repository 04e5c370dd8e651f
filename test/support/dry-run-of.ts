import type { SyncActionEntity } from '../../src/persistence/entities/index.js';
import { dryRun, type DryRun } from '../../src/sync/dry-run.js';
import { STORE, type Stages } from './stages.js';

/** Plans a full run of the store as a dry run. Returns what it found, with its actions. */
export async function dryRunOf(
  stages: Stages,
): Promise<DryRun & { readonly actions: readonly SyncActionEntity[] }> {
  const actions: SyncActionEntity[] = [];
  const found = await dryRun(stages, stages.connections.store(STORE), {
    full: true,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onActions: (some) => void actions.push(...some),
  });
  return { ...found, actions };
}
