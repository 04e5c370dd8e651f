import { metafieldKey, type MetafieldKey } from '../../domain/metafield-key.js';
import type { MetafieldValue } from '../../domain/snapshot.js';
import type { WooProduct } from './schemas.js';

type Meta = WooProduct['meta_data'];

/** The namespace of all meta keys by their own names. */
const META_NAMESPACE = 'meta';
/** The names that a metafield can have in a target. */
const KEY = /^[A-Za-z0-9_-]+$/;
/** Keys of the shop itself and of its plugins, and keys that no answer shows. */
const HIDDEN = /^(_|wp_|attribute_)/i;
/** Keys without an underscore that the shop writes through a setter of its own. */
const OWN_KEYS: ReadonlySet<string> = new Set(['total_sales']);

/** The meta keys of search engine texts, by the folder of the plugin that shows them. */
export const SEO_KEYS = {
  'wordpress-seo': { title: '_yoast_wpseo_title', description: '_yoast_wpseo_metadesc' },
  'wordpress-seo-premium': { title: '_yoast_wpseo_title', description: '_yoast_wpseo_metadesc' },
  'seo-by-rank-math': { title: 'rank_math_title', description: 'rank_math_description' },
} as const;

/** The type of every metafield: the shop has texts alone. */
export const TEXT = 'multi_line_text_field';

/** The meta key of `namespace.key`; null where nothing may be written. */
export function metaKeyOf(namespace: string, key: string): string | null {
  const name = namespace === META_NAMESPACE ? key : `${namespace}_${key}`;
  return HIDDEN.test(name) || OWN_KEYS.has(name) ? null : name;
}

/** The name of the metafield that stands for a meta key. */
export type MetaNames = (key: string) => MetafieldKey;

/**
 * Names the keys as the settings do, so that a written text is found again when its product is read: by `attributes`, or by the namespace,
 * whose keys begin with its name. All other keys are in the namespace `meta`.
 */
export function metaNames(namespace: string | null, attributes: readonly string[]): MetaNames {
  const named = new Map(
    attributes.map(metafieldKey).map((place) => [metaKeyOf(place.namespace, place.key), place] as const),
  );
  const prefix = `${namespace ?? ''}_`;
  return (key) => {
    const place = named.get(key);
    if (place !== undefined) return place;
    return namespace !== null && key.startsWith(prefix) && key.length > prefix.length
      ? { namespace, key: key.slice(prefix.length) }
      : { namespace: META_NAMESPACE, key };
  };
}

/** The texts among the meta data, as metafields. */
export function metaFields(meta: Meta, names: MetaNames): MetafieldValue[] {
  return meta.flatMap(({ key, value }) => {
    if (typeof value !== 'string' || value === '' || !KEY.test(key)) return [];
    return [{ ...names(key), type: TEXT, value }];
  });
}

/** A text; null for none. Numbers and switches come back as texts, and anything else is no text. */
export function metaText(meta: Meta, key: string): string | null {
  const value = meta.findLast((each) => each.key === key)?.value;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Why a text in this place would destroy what a plugin keeps there: a write leaves one row of its key. Null where it would not. */
export function metaProblem(meta: Meta, key: string): string | null {
  const [first, ...others] = meta.filter((each) => each.key === key);
  if (others.length > 0) return `the shop keeps several values of ${key}`;
  const isText = typeof (first?.value ?? '') === 'string';
  return isText ? null : `the value that the shop keeps as ${key} is not a text`;
}

type SeoPart = 'title' | 'description';

/** The search engine text of the active plugin. When none is active, the first one that a plugin has left behind. */
export function seoText(meta: Meta, plugins: ReadonlySet<string>, part: SeoPart): string | null {
  const active = seoKeyFor(plugins, part);
  const keys = active === null ? Object.values(SEO_KEYS).map((each) => each[part]) : [active];
  return keys.map((key) => metaText(meta, key)).find((text) => text !== null) ?? null;
}

/** The meta key of a search engine text; null while no known plugin is active. */
export function seoKeyFor(plugins: ReadonlySet<string>, part: SeoPart): string | null {
  const [, keys] = Object.entries(SEO_KEYS).find(([plugin]) => plugins.has(plugin)) ?? [];
  return keys?.[part] ?? null;
}
