/** The locale prefix of a target, such as the `fr:` of `fr:title`. `metafield:` has too many letters to be a locale. */
const IN_LOCALE = /^([a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*):(.+)$/s;

export interface TargetPlace {
  /** Null: the store's primary language. */
  readonly locale: string | null;
  /** A store field (`title`) or `metafield:namespace.key`. */
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
