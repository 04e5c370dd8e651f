/**
 * The place of a metafield of a product, or of one of its variants. Its name is `namespace.key`. Its target in
 * write-backs, in the journal and in the written content is `metafield:namespace.key` or
 * `variant:NUMBER:metafield:namespace.key`.
 */
export interface MetafieldKey {
  readonly namespace: string;
  readonly key: string;
  /** The number in the store of the variant that owns it. Absent: the product owns it. */
  readonly variant?: string;
}

/** A name in the configuration. A namespace may have parts that a colon separates, as those of apps do. */
export const METAFIELD_NAME = /^[A-Za-z0-9_-]+(:[A-Za-z0-9_-]+)*\.[A-Za-z0-9_-]+$/;
/** The same, or `namespace.*`. */
export const METAFIELD_SELECTION = /^[A-Za-z0-9_-]+(:[A-Za-z0-9_-]+)*\.([A-Za-z0-9_-]+|\*)$/;

/** The place of the short description, in stores that have one. */
export const SHORT_DESCRIPTION_PLACE: MetafieldKey = { namespace: 'product', key: 'short_description' };

const TARGET = 'metafield:';
const VARIANT_TARGET = /^variant:(\d+):metafield:(.+)$/s;

/** Whether metafields of the type hold a text that people read and translate. */
export function isTextType(type: string | null | undefined): boolean {
  return type === 'single_line_text_field' || type === 'multi_line_text_field';
}

export function metafieldName({ namespace, key }: MetafieldKey): string {
  return `${namespace}.${key}`;
}

/** The key that a name `namespace.key` means. A namespace may contain dots, a key may not. */
export function metafieldKey(name: string): MetafieldKey {
  const dot = name.lastIndexOf('.');
  return { namespace: name.slice(0, dot), key: name.slice(dot + 1) };
}

export function metafieldTarget(field: MetafieldKey): string {
  const own = `${TARGET}${metafieldName(field)}`;
  return field.variant === undefined ? own : `variant:${field.variant}:${own}`;
}

/** The name of a product's metafield in a target without locale; null for any other target. */
export function nameInTarget(target: string): string | null {
  return target.startsWith(TARGET) ? target.slice(TARGET.length) : null;
}

/** The place of a metafield of the product or of a variant in a target without locale; null for any other target. */
export function placeInTarget(target: string): MetafieldKey | null {
  const own = nameInTarget(target);
  if (own !== null) return metafieldKey(own);
  const [, variant, name] = VARIANT_TARGET.exec(target) ?? [];
  return variant === undefined || name === undefined ? null : { ...metafieldKey(name), variant };
}

/** The key of a target without locale. Throws when it is not the target of a metafield. */
export function keyInTarget(target: string): MetafieldKey {
  const place = placeInTarget(target);
  if (place === null) throw new Error(`${target} is not the target of a metafield`);
  return place;
}

/** The metafields of variants among the targets: names by the variant's number. */
export function variantMetafieldsIn(targets: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, Set<string>>();
  for (const place of targets.map(placeInTarget)) {
    if (place?.variant === undefined) continue;
    names.set(place.variant, (names.get(place.variant) ?? new Set()).add(metafieldName(place)));
  }
  return new Map([...names].map(([variant, own]) => [variant, [...own]]));
}

/** The product's metafields among the targets, by name, each once. Translations are not among them. */
export function metafieldNamesIn(targets: readonly string[]): string[] {
  return [...new Set(targets.flatMap((target) => nameInTarget(target) ?? []))];
}

/** Whether one of the selections (`namespace.key`, `namespace.*`) names the metafield. */
export function isSelected(field: MetafieldKey, selections: readonly string[]): boolean {
  return selections.some(
    (selection) => selection === metafieldName({ ...field, key: '*' }) || selection === metafieldName(field),
  );
}
