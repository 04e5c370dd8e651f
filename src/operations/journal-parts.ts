import type { IntendedValue, JournalField } from '../domain/write-back-journal.js';
import { IMAGE_ALTS, imageOfTarget } from '../domain/write-target.js';

/**
 * Whether an intended value is shown by itself. The journal has a field for each image, which replaces the intended
 * value of all images.
 */
export function hasField(journal: readonly JournalField[]): (value: IntendedValue) => boolean {
  const hasImages = journal.some(({ target }) => imageOfTarget(target) !== null);
  return ({ target }) => target !== IMAGE_ALTS || !hasImages;
}
