import type { IntendedValue, JournalField } from '../domain/write-back-journal.js';
import { IMAGE_ALTS, imageOfTarget } from '../domain/write-target.js';

/** A field of a write-back: what is intended for it, and what the journal has of it. One of them is there at least. */
export interface JournalPart {
  readonly target: string;
  readonly intended: IntendedValue | null;
  readonly journal: JournalField | null;
}

/**
 * Intended and journalled fields as one list. Before an attempt there are only intended ones. The journal has a field for each image, which
 * replaces the intended value of all images.
 */
export function partsOf({
  intended,
  fields,
}: {
  readonly intended: readonly IntendedValue[];
  readonly fields: readonly JournalField[];
}): JournalPart[] {
  const journal = new Map(fields.map((field) => [field.target, field]));
  const hasImages = fields.some(({ target }) => imageOfTarget(target) !== null);
  const shown = intended.filter(({ target }) => target !== IMAGE_ALTS || !hasImages);
  const known = new Set(shown.map(({ target }) => target));
  return [
    ...shown.map((value) => ({
      target: value.target,
      intended: value,
      journal: journal.get(value.target) ?? null,
    })),
    ...[...journal.values()]
      .filter(({ target }) => !known.has(target))
      .map((field) => ({ target: field.target, intended: null, journal: field })),
  ];
}
