import type { Workspace } from '../connections/connections.js';
import { CodedError } from '../domain/errors.js';

/**
 * Throws `misconfigured` when the store of a run or plan has another workspace by now. What was planned names products of the workspace
 * by its ids, and identifiers that are free there.
 */
export function assertPlannedFor(
  { key }: Pick<Workspace, 'key'>,
  { store, workspace }: { readonly store: string; readonly workspace: string },
  remedy: string,
): void {
  if (workspace === key) return;
  throw new CodedError(
    'misconfigured',
    `store ${store} had workspace ${workspace} when this was planned, and has ${key} now: ${remedy}`,
  );
}
