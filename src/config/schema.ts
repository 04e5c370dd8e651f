import { z } from 'zod';
import { SHORTEST_SECRET } from '../domain/secret-strength.js';
import { isRandomKey, keyBytes } from '../domain/encryption-key.js';
import { serverUrlProblem } from './addresses.js';
import { checkConsistency } from './consistency.js';
import {
  amount,
  named,
  onOff,
  optionalAddress,
  optionalSecretAddress,
  optionalText,
  section,
  text,
} from './fields.js';
import { processRoles } from './process-roles.js';
import { storeSchema, storeTemplateSchema } from './store-schema.js';
import { workspaceSchema } from './workspace-schema.js';

const databaseUrl = z.string().superRefine((value, context) => {
  const problem = value === 'embedded' ? null : serverUrlProblem(value, ['postgres', 'postgresql']);
  if (problem !== null) context.addIssue(`"embedded", or ${problem}`);
});

const redisUrl = z
  .string()
  .superRefine((value, context) => {
    const problem = value === '' ? null : serverUrlProblem(value, ['redis', 'rediss']);
    if (problem !== null) context.addIssue(problem);
  })
  .transform((value) => (value === '' ? undefined : value));

/** The key that encrypts, and after a comma the one of before. Empty: no key. */
const encryptionKeys = optionalText
  .transform((keys) => (keys === undefined ? [] : keys.split(',').map((key) => key.trim())))
  .refine(
    (keys) => keys.every((key) => isRandomKey(keyBytes(key))),
    '32 random bytes as base64 or hexadecimal: openssl rand -hex 32',
  );

/** The whole configuration (docs/configuration.md): every key, its type, its bounds and its default. */
export const configSchema = section({
  server: section({
    host: text
      .default('0.0.0.0')
      .describe('address to listen on; `127.0.0.1` behind a proxy of the same machine'),
    port: amount(3000, { min: 0, max: 65_535 }).describe('0 takes any free port'),
    publicUrl: optionalAddress.describe(
      'what the catalog service and the store call; without it results come by polling',
    ),
    adminToken: optionalText.describe(
      'bearer token of the API and key of the dashboard, of 16 characters at least; without one both are off',
    ),
    // A session names its token, so a token with the name of the admin token would get that one's role.
    tokens: named(section({ token: text, role: z.enum(['viewer', 'reviewer', 'admin']) }))
      .refine(
        (tokens) => !('admin' in tokens),
        'another name than admin, which is the name of server.adminToken',
      )
      .describe(
        'further tokens, `NAME: { token, role }`: a `viewer` reads, a `reviewer` also decides on write-backs, an `admin` does everything',
      ),
    admin: section({
      port: amount(0, { min: 0, max: 65_535 }).describe(
        'port of dashboard, API, `/metrics` and `/docs`; 0: all on `server.port`',
      ),
    }),
    roles: processRoles.describe(
      'what this process does (docs/operations.md#roles); `STORE_SYNC_ROLES` and `start --roles` win over it',
    ),
    encryptionKey: encryptionKeys.describe(
      '32 random bytes as hexadecimal or base64 that encrypt the tokens of installed stores; `NEW,OLD` while a rotation lasts (docs/operations.md#rotate-a-secret)',
    ),
    trustedProxies: amount(0, { min: 0, max: 20 }).describe(
      'how many proxies in front may name the client’s address',
    ),
  }),
  database: section({
    url: databaseUrl
      .default('embedded')
      .describe('a `postgres://` address, or `embedded`: a PostgreSQL of its own under `database.dataDir`'),
    dataDir: text
      .default('./data')
      .describe('the embedded database and nothing else; relative to the working directory'),
    migrate: onOff(true).describe(
      'whether `start` applies pending migrations; if not, run `store-sync migrate` on each deploy',
    ),
  }),
  queue: section({
    redisUrl: redisUrl.optional().describe('`redis://` or `rediss://`; empty keeps the queues in PostgreSQL'),
  }),
  notifications: section({
    webhookUrl: optionalSecretAddress.describe(
      'where notifications are posted (docs/monitoring.md); a secret',
    ),
    events: section({ webhookUrl: optionalSecretAddress, secret: optionalText })
      .refine(
        ({ webhookUrl, secret }) => webhookUrl === undefined || (secret?.length ?? 0) >= SHORTEST_SECRET,
        'a secret of 16 characters at least beside webhookUrl: openssl rand -hex 32',
      )
      .describe(
        'where lifecycle events are posted (docs/monitoring.md), and the secret of 16 characters at least that signs them',
      ),
  }),
  workspaces: named(workspaceSchema),
  stores: named(storeSchema),
  storeTemplate: z
    .preprocess((value) => value ?? undefined, storeTemplateSchema.optional())
    .describe('the settings of installed stores; `null`: nobody can install'),
  storesDir: optionalText.describe('a directory of files with stores'),
  secretsDir: optionalText.describe('a directory of files with secrets'),
}).superRefine(checkConsistency);

type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** Deeply frozen. `database.dataDir` is absolute. A value that is not set is undefined. */
export type AppConfig = DeepReadonly<z.output<typeof configSchema>>;
export type WorkspaceConfig = AppConfig['workspaces'][string];
export type StoreConfig = AppConfig['stores'][string];

/** The message for an issue without a message in the schema. It says what was expected, never the value. */
export function issueText(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type': {
      const wanted = `expected ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
      if (issue.input === undefined) return `missing; ${wanted}`;
      return issue.expected === 'int' && typeof issue.input === 'number'
        ? wanted
        : `${wanted}, not ${typeName(issue.input)}`;
    }
    case 'invalid_value':
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int'
        ? `expected at least ${String(issue.minimum)}`
        : 'must not be empty';
    case 'too_big':
      return `expected at most ${String(issue.maximum)}`;
    case 'unrecognized_keys':
      return 'unknown key';
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_element':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'custom':
    default:
      return 'a valid value';
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a map',
  record: 'a map',
  array: 'a list',
};

function typeName(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return TYPE_NAMES[typeof value] ?? typeof value;
}
