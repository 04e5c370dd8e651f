import { Option } from 'commander';
import { lookUp, readTextFile, type Environment } from '../../config/index.js';
import { CodedError } from '../../domain/errors.js';
import type { OptionDeclaration } from '../options.js';

/** An answer that `store-sync init` needs: a flag gives it, or the environment, or a person who is asked. */
interface Input {
  readonly flags: string;
  readonly about: string;
  /**
   * The variable of a secret, which is also the name of the file that init writes. Its flag names a file, because other users of the
   * machine can read a command line.
   */
  readonly variable?: string;
}

export const INPUTS = {
  baseUrl: {
    flags: '--catalog-url <url>',
    about: 'Address of the catalog service, such as https://catalog.example.com/api/v1',
  },
  catalogToken: {
    flags: '--catalog-token-file <file>',
    about: 'API token of the catalog',
    variable: 'CATALOG_API_TOKEN',
  },
  catalogEmail: { flags: '--catalog-email <email>', about: 'Email address of the catalog login' },
  catalogPassword: {
    flags: '--catalog-password-file <file>',
    about: 'password of the catalog login',
    variable: 'CATALOG_PASSWORD',
  },
  locale: {
    flags: '--locale <language>',
    about: 'Language to generate content in, such as en (empty: the service decides)',
  },
  shop: {
    flags: '--shop <shop>',
    about:
      'Permanent address of the store, such as example.myshopify.com; or https://shop.example.com of a WooCommerce shop',
  },
  endpoint: {
    flags: '--endpoint <url>',
    about: 'base URL in place of https://SHOP: a proxy, the sandbox, a test',
  },
  clientId: {
    flags: '--client-id <id>',
    about: 'Client ID of the app (docs/shopify.md says where to find it)',
  },
  clientSecret: {
    flags: '--client-secret-file <file>',
    about: 'client secret of the app',
    variable: 'SHOPIFY_CLIENT_SECRET',
  },
  accessToken: {
    flags: '--access-token-file <file>',
    about: 'permanent access token of the store',
    variable: 'SHOPIFY_ACCESS_TOKEN',
  },
  consumerKey: {
    flags: '--consumer-key <key>',
    about: 'Consumer key of a WooCommerce shop, ck_… (docs/woocommerce.md says where to find it)',
  },
  consumerSecret: {
    flags: '--consumer-secret-file <file>',
    about: 'consumer secret of a WooCommerce shop',
    variable: 'WOOCOMMERCE_CONSUMER_SECRET',
  },
  locales: {
    flags: '--locales <languages>',
    about: 'Further languages of the store, such as de, fr (empty: none)',
  },
  publicUrl: {
    flags: '--public-url <url>',
    about: 'Public https: address of this program (empty: results arrive by polling)',
  },
} as const satisfies Readonly<Record<string, Input>>;

export type InputName = keyof typeof INPUTS;
const ALL = Object.entries<Input>(INPUTS);

/** What init knows. An answer that is not given yet is undefined; an empty one means "none". */
export type Answers = { readonly store: string } & Readonly<Partial<Record<InputName, string>>>;

/** The secrets that init writes to files of their own, by the name of their variable. */
export type Secrets = Readonly<Record<string, string>>;

export const INPUT_OPTIONS: readonly OptionDeclaration[] = ALL.map(([, { flags, about, variable }]) => ({
  flags,
  description:
    variable === undefined ? about : `file with the ${about}; otherwise ${variable} of the environment`,
}));

/**
 * The answers that flags give, and secrets that the environment has. `options` is what commander read. Throws `invalid` for a file that
 * cannot be read.
 */
export function givenAnswers(store: string, options: object, env: Environment): Answers {
  const texts: Readonly<Record<string, unknown>> = { ...options };
  const given = ALL.flatMap(([name, input]): [string, string][] => {
    const text = texts[new Option(input.flags).attributeName()];
    const value = answerOf(input, typeof text === 'string' ? text : undefined, env);
    return value === undefined ? [] : [[name, value]];
  });
  const { accessToken, catalogPassword, ...others }: Answers = { store, ...Object.fromEntries(given) };
  // Client credentials are renewed, so they win over a token that only the environment has.
  const hasToken = others.clientId === undefined || 'accessTokenFile' in options;
  // Beside an API token, a password that only the environment has belongs to a login that no flag names.
  const hasPassword =
    others.catalogToken === undefined ||
    others.catalogEmail !== undefined ||
    'catalogPasswordFile' in options;
  return {
    ...others,
    ...(accessToken !== undefined && hasToken && { accessToken }),
    ...(catalogPassword !== undefined && hasPassword && { catalogPassword }),
  };
}

function answerOf({ flags, variable }: Input, given: string | undefined, env: Environment) {
  if (variable === undefined) return given;
  if (given === undefined) {
    const found = lookUp(variable, env);
    if (!found.ok) throw new CodedError('invalid', found.problem);
    return found.value === '' ? undefined : found.value;
  }
  const read = readTextFile(given);
  if (read.ok) return read.text.trim();
  const flag = flags.split(' ')[0] ?? flags;
  throw new CodedError('invalid', `the file ${given} of ${flag} cannot be read (${read.code})`);
}

/** The address tells the kind of the store: a shop of WooCommerce has a whole URL. That of a Shopify shop is refused with its form. */
export function isWooCommerce({ shop = '' }: Pick<Answers, 'shop'>): boolean {
  return /^https?:\/\//.test(shop) && URL.parse(shop)?.hostname.endsWith('.myshopify.com') !== true;
}

/** The secrets among the answers that are not empty. */
export function givenSecrets(answers: Answers): Secrets {
  const byName: Readonly<Record<string, string | undefined>> = answers;
  return Object.fromEntries(
    ALL.flatMap(([name, { variable }]) => {
      const value = byName[name] ?? '';
      return variable === undefined || value === '' ? [] : [[variable, value]];
    }),
  );
}

/** The languages of a list such as `de, fr`. */
export function listedLocales({ locales = '' }: Pick<Answers, 'locales'>): string[] {
  return locales
    .split(',')
    .map((locale) => locale.trim())
    .filter((locale) => locale !== '');
}
