/** A target's language prefix, such as the `fr:` of `fr:title`; `metafield:` is no locale, it has too many letters. */
const IN_LOCALE = /^([a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*):(.+)$/s;

export interface TargetPlace {
  /** Null: the store's own language. */
  readonly locale: string | null;
  /** A store field (`title`) or `metafield:namespace.key`. */
  readonly base: string;
}

/** Name under which a translation is intended, journalled and remembered: `fr:title`, `fr:metafield:catalog.care`. */
export function translationTarget(locale: string, base: string): string {
  return `${locale}:${base}`;
}

export function placeOfTarget(target: string): TargetPlace {
  const [, locale, base] = IN_LOCALE.exec(target) ?? [];
  return locale === undefined || base === undefined ? { locale: null, base: target } : { locale, base };
}

/** The languages besides the store's own that the targets speak of, in the order in which they first come. */
export function localesOf(targets: readonly string[]): string[] {
  const locales = targets.flatMap((target) => placeOfTarget(target).locale ?? []);
  return [...new Set(locales)];
}
