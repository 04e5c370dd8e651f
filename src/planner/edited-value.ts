import { isTextType } from '../domain/metafield-key.js';
import { isStoreField } from '../domain/store-port.js';
import { placeOfTarget } from '../domain/write-target.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { droppedPart, sanitisedFor, sanitisedText } from './generated-content.js';
import { storableText } from '../domain/text.js';
import type { DroppedAddress } from './html/address.js';

/** Characters of an edited text at most. */
export const LONGEST_EDIT = 100_000;

/** Whether a person may edit the value: store fields and text metafields, in any language. */
export function isEditable({ target, type, withheld }: IntendedValue): boolean {
  return withheld === undefined && (isStoreField(placeOfTarget(target).base) || isTextType(type));
}

/**
 * The value with a person's text, sanitised like a generated text. `came` keeps the generated text. It is absent when both texts are
 * the same. Null when sanitising leaves no text, and when the value may not be edited.
 */
export function editedValue(value: IntendedValue, text: string): IntendedValue | null {
  if (!isEditable(value) || text.length > LONGEST_EDIT) return null;
  const { base } = placeOfTarget(value.target);
  const given = storableText(text).replaceAll('\r\n', '\n').trim();
  const flat = value.type === 'single_line_text_field' ? linesOf(given).join(' ') : given;
  const dropped: DroppedAddress[] = [];
  const edited = isStoreField(base)
    ? sanitisedFor(base, flat, undefined, dropped)
    : sanitisedText(flat, undefined, dropped);
  if (edited === '') return null;
  const { came = { value: value.value, raw: value.raw }, dropped: _ofGenerated, ...rest } = value;
  if (edited === came.value) return { ...rest, ...came };
  // A person's text is no text of the catalog's, so nothing compares it with what was pushed.
  return { ...rest, value: edited, raw: null, ...droppedPart(dropped), came };
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
