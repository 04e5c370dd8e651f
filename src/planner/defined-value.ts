import {
  type MetafieldDefinition,
  type MetafieldOwner,
  type NewMetafieldDefinition,
} from '../domain/metafield-definition.js';
import { isTextType, keyInTarget, metafieldName } from '../domain/metafield-key.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { fitted, type Fitted, listEntries, type PatternTest } from './fit-metafield.js';

/** The merchant's definitions, as a write-back is decided by them. */
export interface DefinitionsView {
  /** By `namespace.key`. */
  readonly known: Readonly<Record<MetafieldOwner, ReadonlyMap<string, MetafieldDefinition>>>;
  /** True: a value needs no definition. */
  readonly freeText: boolean;
  /** True when a missing definition is to be created. */
  readonly create: boolean;
  readonly matches: PatternTest;
}

export type DefinedValue =
  | { readonly value: IntendedValue; readonly defines?: NewMetafieldDefinition }
  /** The reason why the value has no place. */
  | { readonly unfit: string };

/**
 * A metafield's value in the type that its definition asks for, or else in that of the live value. Without either it keeps its own type,
 * unless it may only go into a defined metafield.
 */
export function definedValue(
  value: IntendedValue,
  liveType: string | null,
  { known, freeText, create, matches }: DefinitionsView,
): DefinedValue {
  const { variant, ...place } = keyInTarget(value.target);
  const name = metafieldName(place);
  const owner: MetafieldOwner = variant === undefined ? 'product' : 'variant';
  const definition = known[owner].get(name);
  if (definition !== undefined) {
    const fit = fittedAlone(value, definition, matches);
    return 'problem' in fit
      ? { unfit: `it does not fit the definition (${definition.type}): ${fit.problem}` }
      : { value: { ...value, ...fit } };
  }
  if (freeText) return { value: asFreeText(value, liveType) };
  const held = liveType ?? value.type;
  const isAlike = held === value.type || [held, value.type].every(isTextType);
  // A list that is sent as a text would be shown with its brackets.
  const fit =
    held === null || isAlike
      ? { value: value.value, type: held }
      : fittedAlone(value, { ...place, type: held, validations: [] }, matches);
  if ('problem' in fit) return { unfit: `the store holds it as ${String(held)}: ${fit.problem}` };
  const own = { ...value, ...fit };
  if (create && own.type !== null)
    return { value: own, defines: { owner, ...place, type: own.type, name: titleOf(value.from) } };
  if (value.needsDefinition !== true) return { value: own };
  return {
    unfit: `the store does not define ${name}${owner === 'variant' ? ' for variants' : ''}: define it, or set writeBack.definitions: create`,
  };
}

/** A list is shown as its lines, and not with its brackets. */
function asFreeText(value: IntendedValue, liveType: string | null): IntendedValue {
  const lines = listEntries(value)?.join('\n');
  const type = lines === undefined ? (liveType ?? value.type) : 'multi_line_text_field';
  return { ...value, value: lines ?? value.value, type };
}

/** A conversion that fails is the error of its value alone: the other values of the result are written. */
function fittedAlone(value: IntendedValue, definition: MetafieldDefinition, matches: PatternTest): Fitted {
  try {
    return fitted(value, definition, matches);
  } catch (error) {
    return { problem: `it cannot be converted (${error instanceof Error ? error.message : String(error)})` };
  }
}

/** `sections.outer_material` is shown as `Outer material`. */
function titleOf(from: string): string {
  const words = from
    .replace(/^(variants\.\d+\.)?(sections\.)?/, '')
    .replaceAll(/[_-]+/g, ' ')
    .trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
