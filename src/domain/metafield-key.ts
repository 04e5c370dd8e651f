/**
 * The place of a metafield of a product. Its name is `namespace.key`. Its target in write-backs, in the journal and in
 * the written content is `metafield:namespace.key`.
 */
export interface MetafieldKey {
  readonly namespace: string;
  readonly key: string;
}

/** A name in the configuration. A namespace may have parts that a colon separates, as those of apps do. */
export const METAFIELD_NAME = /^[A-Za-z0-9_-]+(:[A-Za-z0-9_-]+)*\.[A-Za-z0-9_-]+$/;
/** The same, or `namespace.*`. */
export const METAFIELD_SELECTION = /^[A-Za-z0-9_-]+(:[A-Za-z0-9_-]+)*\.([A-Za-z0-9_-]+|\*)$/;

const TARGET = 'metafield:';

export function metafieldName({ namespace, key }: MetafieldKey): string {
  return `${namespace}.${key}`;
}

/** Of a name. A key holds no dot, a namespace may. */
export function metafieldKey(name: string): MetafieldKey {
  const dot = name.lastIndexOf('.');
  return { namespace: name.slice(0, dot), key: name.slice(dot + 1) };
}

export function metafieldTarget(field: MetafieldKey): string {
  return `${TARGET}${metafieldName(field)}`;
}

/** The name in a target without locale; null for the target of a store field. */
export function nameInTarget(target: string): string | null {
  return target.startsWith(TARGET) ? target.slice(TARGET.length) : null;
}

/** Of a target without locale. Throws when it is not the target of a metafield. */
export function keyInTarget(target: string): MetafieldKey {
  const name = nameInTarget(target);
  if (name === null) throw new Error(`${target} is not the target of a metafield`);
  return metafieldKey(name);
}

/** The metafields among the targets, by name, each once. Translations are not among them. */
export function metafieldNamesIn(targets: readonly string[]): string[] {
  return [...new Set(targets.flatMap((target) => nameInTarget(target) ?? []))];
}

/** Whether one of the selections (`namespace.key`, `namespace.*`) names the metafield. */
export function isSelected(field: MetafieldKey, selections: readonly string[]): boolean {
  return selections.some(
    (selection) => selection === metafieldName({ ...field, key: '*' }) || selection === metafieldName(field),
  );
}
