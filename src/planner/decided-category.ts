import type { StoreCategory } from '../domain/store-port.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import type { DefinedValue } from './defined-value.js';

/** The categories of the store's taxonomy that each intended text names. */
export type CategoriesView = ReadonlyMap<string, readonly StoreCategory[]>;

/** Names in a message at most. */
const NAMED = 3;

/** The full name of the one category that the text names. A text that names none, or several, has no place. */
export function decidedCategory(value: IntendedValue, categories: CategoriesView): DefinedValue {
  const found = categories.get(value.value) ?? [];
  const [only, ...more] = found;
  if (only === undefined) return { unfit: `“${value.value.slice(0, 100)}” is no category of the store` };
  if (more.length === 0) return { value: { ...value, value: only.fullName } };
  const names = found.slice(0, NAMED).map(({ fullName }) => fullName);
  return {
    unfit: `“${value.value.slice(0, 100)}” names ${String(found.length)} categories: ${names.join(', ')}${found.length > NAMED ? ' …' : ''}`,
  };
}
