import type { WriteBackField } from '../operations/present-write-back.js';
import { printable, quoted } from './terminal.js';

/** A field's value before and after, or the intended value. */
export function fieldLine({ target, outcome, reason, before, after, intended }: WriteBackField): string {
  switch (outcome) {
    case null:
      return `${target}: to become ${quoted(intended, 80)}`;
    case 'written':
      return `${target}: ${quoted(before, 60)} -> ${quoted(after, 60)}`;
    case 'reverted':
      return `${target}: reverted to ${quoted(before, 80)}`;
    default:
      return `${target}: ${outcome} (${printable(reason ?? 'no reason given')})`;
  }
}
