import { counted } from '../domain/text.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import type { ActionTally } from '../persistence/action.repository.js';

/** Sentences about products that are gone from the catalog or the store, for the end of a run; none when there is nothing to say. */
export function catalogRemarks(
  { recreated }: Pick<ActionTally, 'recreated'>,
  { notCompared, incomplete }: Pick<SyncRunEntity, 'notCompared' | 'incomplete'>,
): string[] {
  return [
    ...(recreated === 0
      ? []
      : [
          `${counted(recreated, 'product')} created again: gone from the workspace’s catalog, or taken over there by another system`,
        ]),
    ...(notCompared === null ? [] : [`products deleted in the catalog were not looked for: ${notCompared}`]),
    ...(incomplete === null ? [] : [`no product was marked as gone: ${incomplete}`]),
  ];
}
