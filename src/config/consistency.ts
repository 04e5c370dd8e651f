import type { z } from 'zod';
import { STORE_FIELDS } from '../domain/store-port.js';
import { IMAGE_ALTS, SHORT_DESCRIPTION } from '../domain/write-target.js';
import { canonical, SHOP_PLACEHOLDER, type storeSchema, type storeTemplateSchema } from './store-schema.js';
import type { workspaceSchema } from './workspace-schema.js';

/** The settings that must agree with each other. */
interface Related {
  readonly server: {
    readonly port: number;
    readonly admin: { readonly port: number };
    readonly encryptionKey: readonly string[];
    readonly adminToken?: string | undefined;
    readonly tokens: Readonly<Record<string, { readonly token: string }>>;
  };
  readonly workspaces: Readonly<Record<string, z.output<typeof workspaceSchema>>>;
  readonly stores: Readonly<Record<string, z.output<typeof storeSchema>>>;
  readonly storeTemplate?: z.output<typeof storeTemplateSchema> | undefined;
}

interface Issues {
  addIssue(issue: {
    readonly code: 'custom';
    readonly path: (string | number)[];
    readonly message: string;
  }): void;
}

/** Reports settings that are valid alone but contradict each other. */
export function checkConsistency(config: Related, context: Issues): void {
  const report = (path: (string | number)[], message: string): void => {
    context.addIssue({ code: 'custom', path, message });
  };
  checkPorts(config, report);
  checkTokens(config, report);
  checkTemplate(config, report);
  checkStores(config, report);
}

type Report = (path: (string | number)[], message: string) => void;

function checkPorts({ server }: Related, report: Report): void {
  if (server.admin.port !== 0 && server.admin.port === server.port)
    report(['server', 'admin', 'port'], 'another port than server.port, or 0 to share it');
}

/** Two roles of one token would depend on the order of the file. */
function checkTokens({ server }: Related, report: Report): void {
  const holders = new Map<string, string>();
  if (server.adminToken !== undefined) holders.set(server.adminToken, 'server.adminToken');
  for (const [name, { token }] of Object.entries(server.tokens)) {
    const other = holders.get(token);
    if (other !== undefined)
      report(
        ['server', 'tokens', name, 'token'],
        `another token than ${other}: each has a holder of its own`,
      );
    else holders.set(token, `server.tokens.${name}.token`);
  }
}

function checkTemplate({ storeTemplate: template, server, workspaces }: Related, report: Report): void {
  if (template === undefined) return;
  checkFields(template, SHOPIFY_FIELDS, ['storeTemplate'], report);
  // With the placeholder each shop has its own workspace. The install route refuses a shop without one.
  if (!template.workspace.includes(SHOP_PLACEHOLDER))
    checkWorkspace(template.workspace, workspaces, ['storeTemplate', 'workspace'], report);
  if (template.auth.accessToken !== undefined)
    report(['storeTemplate', 'auth'], 'clientId and clientSecret: the tokens come by the install flow');
  if (server.encryptionKey.length === 0)
    report(['server', 'encryptionKey'], 'a key, because storeTemplate is set: openssl rand -hex 32');
}

function checkStores({ stores, workspaces }: Related, report: Report): void {
  const shops = new Map<string, string>();
  for (const [key, store] of Object.entries(stores)) {
    checkWorkspace(store.workspace, workspaces, ['stores', key, 'workspace'], report);
    const own = workspaces[store.workspace]?.locale;
    const same = store.writeBack.locales.findIndex(
      (each) => own !== undefined && canonical(each) === canonical(own),
    );
    if (same >= 0)
      report(
        ['stores', key, 'writeBack', 'locales', same],
        `a language besides that of workspaces.${store.workspace}.locale, which is written anyway`,
      );
    if (store.kind === 'woocommerce') checkWooCommerce(store, ['stores', key], report);
    else checkFields(store, SHOPIFY_FIELDS, ['stores', key], report);
    const other = shops.get(store.shop);
    if (other !== undefined)
      report(
        ['stores', key, store.kind === 'woocommerce' ? 'url' : 'shop'],
        `a shop that no other store has (stores.${other} has it)`,
      );
    shops.set(store.shop, key);
  }
}

const WOOCOMMERCE_FIELDS: readonly string[] = [
  'title',
  'descriptionHtml',
  SHORT_DESCRIPTION,
  'seo.title',
  'seo.description',
];
const SHOPIFY_FIELDS: readonly string[] = [...STORE_FIELDS, 'tags', IMAGE_ALTS];

function checkFields(
  { kind, writeBack }: Pick<z.output<typeof storeSchema>, 'kind' | 'writeBack'>,
  known: readonly string[],
  path: (string | number)[],
  report: Report,
): void {
  for (const [source, field] of Object.entries(writeBack.fields))
    if (!known.includes(field))
      report(
        [...path, 'writeBack', 'fields', source],
        `one of ${known.join(', ')} in a store of kind ${kind}`,
      );
}

/** Reports settings of stores with values that a WooCommerce shop cannot do. */
function checkWooCommerce(
  store: z.output<typeof storeSchema>,
  path: (string | number)[],
  report: Report,
): void {
  const { filter, writeBack } = store;
  if (filter.query !== '') report([...path, 'filter', 'query'], 'empty: WooCommerce has no such search');
  checkFields(store, WOOCOMMERCE_FIELDS, path, report);
  if (writeBack.locales.length > 0)
    report([...path, 'writeBack', 'locales'], 'empty: a WooCommerce shop has one language');
  if (Object.keys(writeBack.variants).length > 0)
    report([...path, 'writeBack', 'variants'], 'empty: variations of WooCommerce are not written');
}

function checkWorkspace(
  workspace: string,
  workspaces: Related['workspaces'],
  path: string[],
  report: Report,
): void {
  if (Object.hasOwn(workspaces, workspace)) return;
  const known = Object.keys(workspaces).join(', ') || 'none is configured';
  report(path, `a workspace of this configuration (${known})`);
}
