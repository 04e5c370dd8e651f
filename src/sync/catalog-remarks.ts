import type { SyncRunEntity } from '../persistence/entities/index.js';
import type { ActionTally } from '../persistence/action.repository.js';

/** Sentences about products that were deleted in the catalog, for the end of a run; none when there is nothing to say. */
export function catalogRemarks(
  { recreated }: Pick<ActionTally, 'recreated'>,
  { notCompared }: Pick<SyncRunEntity, 'notCompared'>,
): string[] {
  return [
    ...(recreated === 0
      ? []
      : [
          recreated === 1
            ? '1 product was gone from the catalog and is created again'
            : `${String(recreated)} products were gone from the catalog and are created again`,
        ]),
    ...(notCompared === null ? [] : [`products deleted in the catalog were not looked for: ${notCompared}`]),
  ];
}
