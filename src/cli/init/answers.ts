/** The answers that `store-sync init` needs. One that is not given yet is undefined; an empty one means "none". */
export interface Answers {
  readonly store: string;
  readonly baseUrl?: string;
  readonly catalogToken?: string;
  readonly catalogEmail?: string;
  readonly catalogPassword?: string;
  readonly locale?: string;
  readonly shop?: string;
  /** Base URL in place of `https://{shop}`. It is never asked for. */
  readonly endpoint?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** A permanent token in place of client credentials. It is never asked for. */
  readonly accessToken?: string;
  readonly consumerKey?: string;
  readonly consumerSecret?: string;
  readonly locales?: string;
  readonly publicUrl?: string;
}

export type AnswerName = Exclude<keyof Answers, 'store' | 'endpoint' | 'accessToken'>;

/** The secrets that init writes to files of their own, by the name of their variable. */
export type Secrets = Readonly<Record<string, string>>;

/** The address tells the kind of the store: a shop of WooCommerce has a whole URL. */
export function isWooCommerce({ shop = '' }: Pick<Answers, 'shop'>): boolean {
  return /^https?:\/\//.test(shop);
}

/** The secrets among the answers that are not empty. */
export function givenSecrets(answers: Answers): Secrets {
  const all = {
    CATALOG_API_TOKEN: answers.catalogToken,
    CATALOG_PASSWORD: answers.catalogPassword,
    SHOPIFY_CLIENT_SECRET: answers.clientSecret,
    SHOPIFY_ACCESS_TOKEN: answers.accessToken,
    WOOCOMMERCE_CONSUMER_SECRET: answers.consumerSecret,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  );
}

/** The languages of a list such as `de, fr`. */
export function listedLocales({ locales = '' }: Pick<Answers, 'locales'>): string[] {
  return locales
    .split(',')
    .map((locale) => locale.trim())
    .filter((locale) => locale !== '');
}
