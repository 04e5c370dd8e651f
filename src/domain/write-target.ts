/** The locale prefix of a target, such as the `fr:` of `fr:title`. `metafield:` has too many letters to be a locale. */
const IN_LOCALE = /^([a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*):(.+)$/s;

export interface TargetPlace {
  /** Null: the store's primary language. */
  readonly locale: string | null;
  /** A store field (`title`), `metafield:namespace.key`, or another part of the product; see below. */
  readonly base: string;
}

/**
 * The target name of a translation in write-backs, in the journal and in the written content: `fr:title`,
 * `fr:metafield:catalog.care`.
 */
export function translationTarget(locale: string, base: string): string {
  return `${locale}:${base}`;
}

export function placeOfTarget(target: string): TargetPlace {
  const [, locale, base] = IN_LOCALE.exec(target) ?? [];
  return locale === undefined || base === undefined ? { locale: null, base: target } : { locale, base };
}

/** The locales of the targets, apart from the store's primary language, in order of first appearance. */
export function localesOf(targets: readonly string[]): string[] {
  const locales = targets.flatMap((target) => placeOfTarget(target).locale ?? []);
  return [...new Set(locales)];
}

// These prefixes cannot be read as a locale: each starts with more than three letters.
const TAG = 'tags:';
const IMAGE_ALT = 'image-alt:';

/** The target of a value that goes to the images without an alternative text. Each image has a target of its own. */
export const IMAGE_ALTS = 'images[].alt';

/** In `writeBack.fields`: the short text that some kinds of store show beside the description. */
export const SHORT_DESCRIPTION = 'shortDescription';

/** The target of one tag, such as `tags:red`. The store ignores the letter case of tags. */
export function tagTarget(tag: string): string {
  return `${TAG}${tag.toLowerCase()}`;
}

export function isTag(target: string): boolean {
  return target.startsWith(TAG);
}

/** The target of the alternative text of one image, by the image's number in the store. */
export function imageAltTarget(image: string): string {
  return `${IMAGE_ALT}${image}`;
}

/** The image's number; null for another target. */
export function imageOfTarget(target: string): string | null {
  return target.startsWith(IMAGE_ALT) ? target.slice(IMAGE_ALT.length) : null;
}

/** Asks a read for all metafields of the product in a namespace. */
export function everyMetafieldOf(namespace: string): string {
  return `metafield:${namespace}.*`;
}

/** Fields that are read with every product, because a decision about any of its texts may need them. They come without extra cost. */
const PLAIN_FIELDS = ['title', 'descriptionHtml', 'vendor', 'productType'];

/** What a read asks for so that the targets can be decided about. */
export function readTargetsFor(
  targets: readonly string[],
  {
    namespace = null,
    images = false,
  }: { readonly namespace?: string | null; readonly images?: boolean } = {},
): string[] {
  return [
    ...new Set([
      ...PLAIN_FIELDS,
      ...targets,
      ...(namespace === null ? [] : [everyMetafieldOf(namespace)]),
      ...(images ? [IMAGE_ALTS] : []),
    ]),
  ];
}
