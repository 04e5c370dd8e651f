import { givenSecrets, isWooCommerce, listedLocales, type Answers, type Secrets } from './answers.js';

/** A newcomer sees a few texts before credits are spent on many. */
export const FIRST_GENERATIONS = 10;

export interface Written {
  /** The YAML file. It names secrets, and holds none. */
  readonly yaml: string;
  /** By the names of their files. */
  readonly secrets: Secrets;
}

/** The secrets that compose.yaml mounts. One that nothing refers to is an empty file. */
const COMPOSE_SECRETS = [
  'ADMIN_TOKEN',
  'CATALOG_API_TOKEN',
  'CATALOG_PASSWORD',
  'CATALOG_WEBHOOK_SECRET',
  'SHOPIFY_CLIENT_ID',
  'SHOPIFY_CLIENT_SECRET',
  'SHOPIFY_ACCESS_TOKEN',
  'WOOCOMMERCE_CONSUMER_SECRET',
  'WOOCOMMERCE_WEBHOOK_SECRET',
];

/** `writtenConfiguration` for compose.yaml: variables have the secrets, and the container listens on all its addresses. */
export function composeConfiguration(
  answers: Answers,
  generated: Secrets,
  databasePassword: string,
): Written {
  const { yaml, secrets } = writtenConfiguration(answers, null, generated);
  const given = COMPOSE_SECRETS.map((name): [string, string] => [name.toLowerCase(), secrets[name] ?? '']);
  return {
    yaml,
    secrets: {
      ...Object.fromEntries(given),
      postgres_password: databasePassword,
      database_url: `postgres://store_sync:${databasePassword}@postgres:5432/store_sync`,
    },
  };
}

/**
 * The configuration of complete answers, with safe values: content waits for a person's review, and a run requests few
 * generations. `secretsDir`: where the files of the secrets are; null where variables have them. `generated` are the secrets of this
 * program's own, by the name of their variable.
 */
export function writtenConfiguration(
  answers: Answers,
  secretsDir: string | null,
  generated: Secrets,
): Written {
  const secrets = { ...givenSecrets(answers), ...generated };
  const { publicUrl = '', baseUrl = '', locale = '', store } = answers;
  const locales = listedLocales(answers);
  const lines = [
    '# Written by `store-sync init`. docs/configuration.md describes every setting.',
    ...(secretsDir === null ? [] : [`secretsDir: ${text(secretsDir)}`]),
    '',
    'server:',
    '  # Without a public address no webhook is registered, and results arrive by polling.',
    `  publicUrl: ${text(publicUrl)}`,
    ...(publicUrl === '' && secretsDir !== null ? ['  host: 127.0.0.1'] : []),
    '  adminToken: ${ADMIN_TOKEN}',
    '',
    'workspaces:',
    '  default:',
    `    baseUrl: ${text(baseUrl)}`,
    `    auth: ${catalogAuth(answers)}`,
    ...(locale === '' ? [] : [`    locale: ${text(locale)}`]),
    '    webhook:',
    '      hmacSecret: ${CATALOG_WEBHOOK_SECRET}',
    '    generation:',
    '      # Few for the start. Raise it once you like the texts.',
    `      maxPerRun: ${String(FIRST_GENERATIONS)}`,
    ...(publicUrl === ''
      ? [
          '    tasks:',
          '      # Without a public address no result is announced: the first question about it comes after so many seconds.',
          '      pollSeconds: 10',
        ]
      : []),
    '',
    'stores:',
    `  ${store}:`,
    '    workspace: default',
    ...(isWooCommerce(answers) ? wooCommerceStore(answers) : shopifyStore(answers)),
    '    writeBack:',
    '      # Nothing is written to the store before you approve it. `auto` writes at once.',
    '      mode: review',
    '      fields:',
    '        name: title',
    '        html_description: descriptionHtml',
    '        sections.seo_title: seo.title',
    '        sections.seo_description: seo.description',
    '      # Every other generated attribute becomes a metafield of this namespace.',
    '      sections: { namespace: catalog }',
    ...(locales.length === 0 ? [] : [`      locales: [${locales.map(text).join(', ')}]`]),
  ];
  return { yaml: `${lines.join('\n')}\n`, secrets };
}

function catalogAuth({ catalogToken, catalogEmail = '', catalogPassword }: Answers): string {
  const parts = [
    ...(isFilled(catalogToken) ? ['apiToken: ${CATALOG_API_TOKEN}'] : []),
    ...(isFilled(catalogPassword) ? [`email: ${text(catalogEmail)}, password: \${CATALOG_PASSWORD}`] : []),
  ];
  return `{ ${parts.join(', ')} }`;
}

function shopifyStore(answers: Answers): string[] {
  const { shop = '', endpoint = '' } = answers;
  return [
    `    shop: ${text(shop)}`,
    ...(endpoint === '' ? [] : [`    endpoint: ${text(endpoint)}`]),
    `    auth: ${storeAuth(answers)}`,
    // Shopify signs a store's events with the client secret of the app.
    ...(isFilled(answers.clientSecret) ? ['    webhookSecret: ${SHOPIFY_CLIENT_SECRET}'] : []),
  ];
}

function wooCommerceStore({ shop = '', consumerKey = '' }: Answers): string[] {
  return [
    '    kind: woocommerce',
    `    url: ${text(shop)}`,
    `    auth: { consumerKey: ${text(consumerKey)}, consumerSecret: \${WOOCOMMERCE_CONSUMER_SECRET} }`,
    '    # The shop signs its events with it.',
    '    webhookSecret: ${WOOCOMMERCE_WEBHOOK_SECRET}',
  ];
}

function storeAuth({ accessToken, clientId = '' }: Answers): string {
  return isFilled(accessToken)
    ? '{ accessToken: ${SHOPIFY_ACCESS_TOKEN} }'
    : `{ clientId: ${text(clientId)}, clientSecret: \${SHOPIFY_CLIENT_SECRET} }`;
}

function isFilled(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** A YAML text that means exactly the given one: quoted, and without references to the environment. */
function text(value: string): string {
  return JSON.stringify(value.replaceAll('${', '$${'));
}
