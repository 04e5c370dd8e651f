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
          recreated === 1
            ? '1 product was gone from the catalog, or taken over there by another system, and is created again'
            : `${String(recreated)} products were gone from the catalog, or taken over there by another system, and are created again`,
        ]),
    ...(notCompared === null ? [] : [`products deleted in the catalog were not looked for: ${notCompared}`]),
    ...(incomplete === null ? [] : [`no product was marked as gone: ${incomplete}`]),
  ];
}
