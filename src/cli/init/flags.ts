import { lookUp, readTextFile, type Environment } from '../../config/index.js';
import { CodedError } from '../../domain/errors.js';
import type { Answers } from './answers.js';

/** The flags. A secret has none: other users of the machine can read a command line. A flag names its file. */
export interface InitOptions {
  readonly out: string;
  readonly store: string;
  readonly catalogUrl?: string;
  readonly catalogTokenFile?: string;
  readonly catalogEmail?: string;
  readonly catalogPasswordFile?: string;
  readonly locale?: string;
  readonly shop?: string;
  readonly endpoint?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly accessTokenFile?: string;
  readonly consumerKey?: string;
  readonly consumerSecretFile?: string;
  readonly locales?: string;
  readonly publicUrl?: string;
  readonly compose?: boolean;
  readonly force?: boolean;
}

/** The answers that flags give, and secrets that the environment has. Throws `invalid` for a file that cannot be read. */
export function givenAnswers(options: InitOptions, env: Environment): Answers {
  const accessToken = secret('--access-token-file', options.accessTokenFile, 'SHOPIFY_ACCESS_TOKEN', env);
  const all = {
    baseUrl: options.catalogUrl,
    catalogToken: secret('--catalog-token-file', options.catalogTokenFile, 'CATALOG_API_TOKEN', env),
    catalogEmail: options.catalogEmail,
    catalogPassword: secret('--catalog-password-file', options.catalogPasswordFile, 'CATALOG_PASSWORD', env),
    locale: options.locale,
    shop: options.shop,
    endpoint: options.endpoint,
    clientId: options.clientId,
    clientSecret: secret('--client-secret-file', options.clientSecretFile, 'SHOPIFY_CLIENT_SECRET', env),
    consumerKey: options.consumerKey,
    consumerSecret: secret(
      '--consumer-secret-file',
      options.consumerSecretFile,
      'WOOCOMMERCE_CONSUMER_SECRET',
      env,
    ),
    locales: options.locales,
    publicUrl: options.publicUrl,
    // Client credentials are renewed, so they win over a token that only the environment has.
    accessToken:
      options.accessTokenFile !== undefined || options.clientId === undefined ? accessToken : undefined,
  };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return { store: options.store, ...Object.fromEntries(given) };
}

function secret(
  flag: string,
  path: string | undefined,
  variable: string,
  env: Environment,
): string | undefined {
  if (path === undefined) {
    const found = lookUp(variable, env);
    if (!found.ok) throw new CodedError('invalid', found.problem);
    return found.value === '' ? undefined : found.value;
  }
  const read = readTextFile(path);
  if (!read.ok) throw new CodedError('invalid', `the file ${path} of ${flag} cannot be read (${read.code})`);
  return read.text.trim();
}
