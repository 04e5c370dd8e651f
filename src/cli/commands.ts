import { PAGE_LIMIT } from '../operations/page-limit.js';
import { messages as initMessages } from './init/messages.js';
import { messages } from './messages.js';

/** An option as commander reads it. */
export interface OptionDeclaration {
  /** `--name`, or `--name <value>` for an option that takes a value. */
  readonly flags: string;
  readonly description: string;
  readonly required?: boolean;
  /** The option may be given several times; the command gets all values. */
  readonly repeated?: boolean;
  readonly defaultValue?: string;
}

/** The part of a command that help shows. */
export interface CommandDeclaration {
  readonly description: string;
  /** Syntax of each argument and its description. */
  readonly args?: Readonly<Record<string, string>>;
  /** Every command also has `--config`. */
  readonly options: readonly OptionDeclaration[];
}

const json: OptionDeclaration = { flags: '--json', description: messages.json };
const store: OptionDeclaration = { flags: '--store <key>', description: messages.storeFlag, required: true };
const oneStore = [store, { flags: '--full', description: messages.fullFlag }, json];
const list = [
  { flags: '--state <state>', description: messages.listState },
  { flags: '--store <key>', description: messages.listStore },
  { flags: '--limit <count>', description: messages.listLimit(PAGE_LIMIT) },
  { flags: '--offset <count>', description: messages.listOffset },
  json,
];

/** Every command by its name. This table is enough for help and wrong options, so it imports no command and no library. */
export const COMMANDS = {
  start: {
    description: messages.startDoes,
    options: [{ flags: '--roles <roles>', description: messages.rolesFlag }],
  },
  demo: {
    description: messages.demoDoes,
    options: [
      { flags: '--products <file>', description: messages.demoProducts },
      { flags: '--keep', description: messages.demoKeep },
    ],
  },
  init: {
    description: messages.initDoes,
    options: [
      { flags: '--out <file>', description: messages.initOut, defaultValue: 'store-sync.yaml' },
      { flags: '--store <key>', description: messages.initStore, defaultValue: 'main' },
      { flags: '--catalog-url <url>', description: initMessages.baseUrl },
      { flags: '--catalog-token-file <file>', description: messages.initSecret('CATALOG_API_TOKEN') },
      { flags: '--catalog-email <email>', description: initMessages.catalogEmail },
      { flags: '--catalog-password-file <file>', description: messages.initSecret('CATALOG_PASSWORD') },
      { flags: '--locale <language>', description: initMessages.locale },
      { flags: '--shop <shop>', description: initMessages.shop },
      { flags: '--endpoint <url>', description: messages.initEndpoint },
      { flags: '--client-id <id>', description: initMessages.clientId },
      { flags: '--client-secret-file <file>', description: messages.initSecret('SHOPIFY_CLIENT_SECRET') },
      { flags: '--access-token-file <file>', description: messages.initSecret('SHOPIFY_ACCESS_TOKEN') },
      { flags: '--locales <languages>', description: initMessages.locales },
      { flags: '--public-url <url>', description: initMessages.publicUrl },
      { flags: '--force', description: messages.initForce },
    ],
  },
  check: {
    description: messages.checkDoes,
    options: [],
  },
  plan: {
    description: messages.planDoes,
    options: [{ flags: '--save', description: messages.planSave }, ...oneStore],
  },
  apply: {
    description: messages.applyDoes,
    args: { '<plan>': messages.applyId },
    options: [json],
  },
  sync: {
    description: messages.syncDoes,
    options: [
      { flags: '--force', description: messages.syncForce },
      { flags: '--yes', description: messages.syncYes },
      ...oneStore,
    ],
  },
  status: {
    description: messages.statusDoes,
    options: [json],
  },
  runs: {
    description: messages.runsDoes,
    args: { '[action]': messages.runsActions, '[id]': messages.runId },
    options: [
      { flags: '--outcome <outcome>', description: messages.runOutcome },
      { flags: '--search <text>', description: messages.runSearch },
      ...list,
    ],
  },
  deliveries: {
    description: messages.deliveriesDoes,
    args: { '[action]': messages.deliveriesActions, '[ids...]': messages.deliveryIds },
    options: list,
  },
  products: {
    description: messages.productsDoes,
    args: { '[action]': messages.productsActions, '[id...]': messages.productsId },
    options: [{ flags: '--search <text>', description: messages.productsSearch }, ...list],
  },
  audit: {
    description: messages.auditDoes,
    options: [json],
  },
  retry: {
    description: messages.retryDoes,
    options: [store, json],
  },
  drift: {
    description: messages.driftDoes,
    options: [store, json],
  },
  generate: {
    description: messages.generateDoes,
    args: { '[ids...]': messages.generateIds },
    options: [store, { flags: '--force', description: messages.generateForce }, json],
  },
  'write-backs': {
    description: messages.writeBacksDoes,
    args: { '[action]': messages.writeBackActions, '[ids...]': messages.writeBackIds },
    options: [
      { flags: '--all', description: messages.writeBackAll },
      { flags: '--run <id>', description: messages.writeBackRun },
      { flags: '--filter <name=value>', description: messages.writeBackFilter, repeated: true },
      { flags: '--dry-run', description: messages.writeBackDryRun },
      { flags: '--yes', description: messages.yesFlag },
      { flags: '--reason <text>', description: messages.writeBackReason },
      ...list,
    ],
  },
  webhook: {
    description: messages.webhookDoes,
    args: { '[action]': messages.webhookActions },
    options: [
      { flags: '--workspace <key>', description: messages.workspaceFlag },
      { flags: '--force', description: messages.webhookForce },
      json,
    ],
  },
  migrate: {
    description: messages.migrateDoes,
    options: [],
  },
  completion: {
    description: messages.completionDoes,
    args: { '[shell]': messages.shells },
    options: [],
  },
} satisfies Readonly<Record<string, CommandDeclaration>>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS).filter(isCommandName);

function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
