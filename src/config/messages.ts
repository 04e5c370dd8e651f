/**
 * Every sentence about the configuration. A problem is shown after its key: `stores.main.shop: expected …`. It names the
 * expected value and never the actual one, which may be a secret.
 */
export const messages = {
  // Files, and references to the environment
  productPage: 'an http(s) address that contains {id}',
  noFile: 'there is no such configuration file',
  fileUnreadable: (code: string): string => `the file cannot be read (${code})`,
  directoryUnreadable: (path: string, code: string): string =>
    `the directory ${path} cannot be read (${code})`,
  yamlUnresolved: 'a reference in it cannot be resolved',
  notYaml: (reason: string): string => `not YAML: ${reason}`,
  mapOfSettings: 'expected a map of settings',
  onlyStores: 'unknown key in a file of storesDir; expected only stores',
  storeTwice: (path: string): string => `the store is also in ${path}; expected it in one file`,
  variableNotSet: (name: string): string =>
    `the environment variable ${name} is not set, nor is ${name}_FILE`,
  variableTwice: (name: string): string => `both ${name} and ${name}_FILE are set; expected one of them`,
  variableFileUnreadable: (file: string, name: string, code: string): string =>
    `the file ${file} that ${name}_FILE names cannot be read (${code})`,

  needsRestart: (settings: string): string => `${settings}: the change needs a restart of store-sync`,
  movedNeedsRestart: (stores: string): string =>
    `${stores}: a store that is renamed, or gets another shop, needs a restart of store-sync`,

  // Expected values of any key
  unknownKey: (meant: string, known: string): string =>
    `unknown key; ${meant === '' ? '' : `did you mean ${meant}? `}expected one of: ${known}`,
  imageHost: 'a public host without scheme and path, such as images.example.com',
  name: 'a name of letters, digits, - and _ (63 at most)',
  duration: (max: string): string => `a duration such as 90s, 60m or 2h, at most ${max}`,
  oneOf: (values: readonly string[]): string => `expected one of ${values.join(', ')}`,
  atLeast: (minimum: number | bigint): string => `expected at least ${String(minimum)}`,
  atMost: (maximum: number | bigint): string => `expected at most ${String(maximum)}`,
  notEmpty: 'must not be empty',
  trueOrFalse: 'true or false',
  absoluteUrl: 'an absolute URL such as https://host.example.com',
  httpsUrl: 'an https: URL (plain http: is for loopback addresses only)',
  urlWithoutCredentials: 'a URL without credentials in it',
  urlWithoutQuery: 'a URL without query and fragment',
  serverUrl: (schemes: readonly string[]): string =>
    `a URL of the form ${schemes.map((scheme) => `${scheme}://user:password@host:port`).join(' or ')}`,

  // Expected values of single keys
  notAdmin: 'another name than admin, which is the name of server.adminToken',
  eventSecret: 'a secret of 16 characters at least beside webhookUrl: openssl rand -hex 32',
  encryptionKey: '32 random bytes as base64 or hexadecimal: openssl rand -hex 32',
  templateCredentials: 'clientId and clientSecret: the tokens come by the install flow',
  keyForTemplate: 'a key, because storeTemplate is set: openssl rand -hex 32',
  keepDays: (least: number): string => `0 (keep everything), or at least ${String(least)}`,
  adminPort: 'another port than server.port, or 0 to share it',
  noWorkspace: 'none is configured',
  knownWorkspace: (known: string): string => `a workspace of this configuration (${known})`,
  otherLocale: (workspace: string): string =>
    `a language besides that of workspaces.${workspace}.locale, which is written anyway`,
  otherShop: (store: string): string => `a shop that no other store has (stores.${store} has it)`,
  brandSource: 'auto, vendor, none, or namespace.key of a metafield',
  pattern: (reason: string): string => `a pattern of RE2, without look-around or back-references (${reason})`,
  storeCredentials: 'either accessToken, or clientId and clientSecret',
  cron: 'a cron expression that comes due, such as "0 2 * * *"',
  timezone: 'a time zone such as Europe/Berlin',
  contentSource: 'name, description, html_description, brand, category or sections.CODE',
  variantSource: 'description, html_description or sections.CODE',
  metafieldOnce: (name: string): string => `each metafield once (${name} is named twice)`,
  mostAttributes: (count: number): string => `${count} attributes at most`,
  fieldOnce: (field: string): string => `each store field once (${field} is named twice)`,
  shop: 'a shop domain such as example.myshopify.com, in lower case',
  apiVersion: 'a version such as "2026-10"',
  metafield: 'namespace.key of a metafield',
  metafieldSelection: 'namespace.key or namespace.* of metafields',
  namespace: '3 to 255 letters, digits, - and _',
  locale: 'a locale such as fr or pt-BR',
  localeOnce: 'each locale once',
  emailAndPassword: 'email and password together',
  workspaceCredentials: 'apiToken, or email and password, or all three',

  // Warnings: settings that work but are probably not intended
  noPublicUrl: (key: string): string =>
    `${key}.webhook.register: server.publicUrl is not set: no webhook is registered, and results arrive by polling`,
  noSecret: (key: string): string =>
    `${key}.webhook.hmacSecret is not set: no webhook is registered, and results arrive by polling`,
  shortTolerance: (key: string, seconds: number): string =>
    `${key}.webhook.toleranceSeconds is under ${String(seconds)}: late retries of a delivery would be refused permanently`,
  otherPrefix: (key: string): string =>
    `${key}.baseUrl does not end in /api/v1, the prefix that the service documents`,
  tracesProtocol: 'traces are sent by http/protobuf, whatever OTEL_EXPORTER_OTLP_PROTOCOL says',

  // Weak secrets, after their key
  newSecret: 'make another: openssl rand -hex 32',
  realSecret: 'enter the real one',
  placeholder: (remedy: string): string => `is a known placeholder: ${remedy}`,
  tooShort: (least: number, consequence: string): string =>
    `has fewer than ${String(least)} characters: ${consequence}`,
  notMasked: 'logs cannot mask it',
} as const;
