import { attributeKey, keysOf, type KeyedAttribute } from './attribute-keys.js';

type Section = Readonly<Record<string, unknown>>;

/** The custom attributes of a product, or of a variant, in a result. */
export interface SectionAttributes {
  /** By key, those that are taken. */
  readonly byKey: ReadonlyMap<string, unknown>;
  /** The key of the first that is not taken; null where all are. */
  readonly firstLeft: string | null;
  /** True when an attribute has exactly this name. */
  readonly hasName: (name: string) => boolean;
  /**
   * The key of the attribute that is named exactly so; without one, the key that the name gives. Several names may give one
   * key, and then the plain key may be another attribute's.
   */
  readonly keyOf: (name: string) => string;
}

/** Attributes of a product at most; real ones have some thirty. */
export const MOST_ATTRIBUTES = 250;
/** A key that comes again and again is no further attribute, and a section without members is none. Both still take time. */
const MOST_LOOKED_AT = 10 * MOST_ATTRIBUTES;

const NONE: readonly Section[] = [];
/** Several rules ask for the attributes of one result. They are gathered once, however often they are asked for. */
const GATHERED = new WeakMap<readonly Section[], SectionAttributes>();

/**
 * The attributes of a product's sections: objects with free-form keys (docs/catalog-rules.md#product). A section with
 * a name (`code`, `key`, `slug`, `name`, `title` or `label`) and a `value` is one attribute. In any other section,
 * each member is one attribute. None is dropped up to `MOST_ATTRIBUTES`. The work stops at that bound, however many
 * sections there are.
 */
export function attributesOf({
  sections,
}: {
  readonly sections?: readonly Section[] | null | undefined;
}): SectionAttributes {
  const given = sections ?? NONE;
  const known = GATHERED.get(given);
  if (known !== undefined) return known;
  const gathered = gather(given);
  GATHERED.set(given, gathered);
  return gathered;
}

function gather(sections: readonly Section[]): SectionAttributes {
  const entries: [string, unknown][] = [];
  let next: string | null = null;
  for (const entry of entriesOf(sections)) {
    if (entries.length === MOST_LOOKED_AT) {
      next = attributeKey(entry[0]);
      break;
    }
    entries.push(entry);
  }
  const keyed = keysOf(entries);
  const names = new Map<string, string>();
  for (const { name, key } of keyed) if (!names.has(name)) names.set(name, key);
  const all = [...new Map(keyed.map(({ key, value }: KeyedAttribute) => [key, value]))];
  return {
    byKey: new Map(all.slice(0, MOST_ATTRIBUTES)),
    firstLeft: all[MOST_ATTRIBUTES]?.[0] ?? next,
    hasName: (name) => names.has(name),
    keyOf: (name) => names.get(name) ?? attributeKey(name),
  };
}

/** Each name with its value, one after the other, so that nothing behind the last wanted one is read. */
function* entriesOf(sections: readonly Section[]): Generator<[string, unknown]> {
  let empty = 0;
  for (const section of sections) {
    const named = namedValue(section);
    if (named !== null) {
      yield named;
      continue;
    }
    let isEmpty = true;
    for (const name in section) {
      isEmpty = false;
      if (Object.hasOwn(section, name)) yield [name, section[name]];
    }
    if (isEmpty && (empty += 1) > MOST_LOOKED_AT) return;
  }
}

/** The beginning of the source of an attribute, such as `sections.material`. */
export const SECTION = 'sections.';

/** The name of the attribute that a source reads; null for a field. */
export function attributeIn(source: string): string | null {
  return source.startsWith(SECTION) ? source.slice(SECTION.length) : null;
}

/** A configured `sections.Product Weight` and the attribute `product_weight` are one source. */
export function canonicalSource(product: Parameters<typeof attributesOf>[0], source: string): string {
  const name = attributeIn(source);
  return name === null ? source : `${SECTION}${attributesOf(product).keyOf(name)}`;
}

const NAMING_KEYS = ['code', 'key', 'slug', 'name', 'title', 'label'];
const VALUE_KEYS = ['value', 'values', 'content', 'text'];

function namedValue(section: Section): [string, unknown] | null {
  const value = VALUE_KEYS.find((key) => Object.hasOwn(section, key));
  if (value === undefined) return null;
  const name = NAMING_KEYS.map((key) => (Object.hasOwn(section, key) ? section[key] : undefined)).find(
    (candidate): candidate is string => typeof candidate === 'string' && candidate.trim() !== '',
  );
  return name === undefined ? null : [name, section[value]];
}
