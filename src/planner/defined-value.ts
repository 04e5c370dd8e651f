import { keyInTarget, metafieldName } from '../domain/metafield-key.js';
import { type MetafieldDefinition, type NewMetafieldDefinition } from '../domain/metafield-definition.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { fitted, type PatternTest } from './fit-metafield.js';

/** The merchant's definitions, as a write-back is decided by them. */
export interface DefinitionsView {
  /** By `namespace.key`. */
  readonly known: ReadonlyMap<string, MetafieldDefinition>;
  /** True when a missing definition is to be created. */
  readonly create: boolean;
  readonly matches: PatternTest;
}

export const NO_DEFINITIONS: DefinitionsView = { known: new Map(), create: false, matches: () => null };

export type DefinedValue =
  | { readonly value: IntendedValue; readonly defines?: NewMetafieldDefinition }
  /** The reason why the value has no place. */
  | { readonly unfit: string };

/**
 * A metafield's value in the type that its definition asks for. Without a definition it keeps its own type, or that of
 * the live value, unless it may only go into a defined metafield.
 */
export function definedValue(
  value: IntendedValue,
  liveType: string | null,
  { known, create, matches }: DefinitionsView,
): DefinedValue {
  const place = keyInTarget(value.target);
  const name = metafieldName(place);
  const definition = known.get(name);
  if (definition !== undefined) {
    const fit = fitted(value, definition, matches);
    return 'problem' in fit
      ? { unfit: `it does not fit the definition (${definition.type}): ${fit.problem}` }
      : { value: { ...value, ...fit } };
  }
  const own = { ...value, type: liveType ?? value.type };
  if (create && own.type !== null)
    return { value: own, defines: { ...place, type: own.type, name: titleOf(value.from) } };
  if (value.needsDefinition !== true) return { value: own };
  return {
    unfit: `the store does not define ${name}: define it, or set writeBack.definitions: create`,
  };
}

/** `sections.outer_material` is shown as `Outer material`. */
function titleOf(from: string): string {
  const words = from
    .replace(/^sections\./, '')
    .replaceAll(/[_-]+/g, ' ')
    .trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
