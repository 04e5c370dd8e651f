import { z } from 'zod';
import { CodedError, errorLine, isCoded } from '../domain/errors.js';
import { weakSecrets, type AppConfig, type WeakSecret } from '../config/index.js';
import { NO_SUCH_WORKSPACE } from '../catalog/webhook-signature.js';
import type { Connections, Store, Workspace } from '../connections/connections.js';
import type { SlotFinding } from '../connections/webhook-slot.js';
import { MAX_SHORT_ANSWER_BYTES } from '../domain/answer-bounds.js';
import { isLoopback } from '../domain/loopback.js';
import { counted, withoutTrailing } from '../domain/text.js';
import { OutgoingError, sendOutgoing } from '../runtime/outgoing-http.js';
import { timedOut, within } from '../runtime/time-limit.js';
import { connectorFindings } from './connector-findings.js';

export const findingSchema = z.object({
  level: z.enum(['ok', 'warn', 'FAIL']),
  /** The part that was checked, such as `database` or `store main: scopes`. */
  what: z.string(),
  detail: z.string(),
});
export type Finding = Readonly<z.output<typeof findingSchema>>;

const PRIVATE =
  /^(10(\.\d{1,3}){3}|192\.168(\.\d{1,3}){2}|172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}|169\.254(\.\d{1,3}){2}|\[f[cd][0-9a-f:]*\]|[^.]+|.*\.(local|internal|localdomain|test|invalid))$/;

/** What the configuration shows by itself. */
export function configFindings(config: AppConfig): Finding[] {
  const { server, stores, storeTemplate, notifications } = config;
  const workspaces = Object.entries(config.workspaces).map(([key, { baseUrl }]) => ({ key, baseUrl }));
  const isEmpty = Object.keys(stores).length === 0 && storeTemplate === undefined;
  return [
    ...secretFindings(weakSecrets(config)),
    ...(isEmpty ? [NO_STORE] : []),
    ...(workspaces.length > 0 ? [publicUrlFinding(server.publicUrl, workspaces)] : []),
    dashboardFinding(server),
    notificationsFinding(notifications.webhookUrl),
  ];
}

const NO_STORE: Finding = {
  level: 'warn',
  what: 'configuration',
  detail:
    'No store is configured. Run store-sync init, or copy config/example.yaml, and pass your file with --config.',
};

/** Whether the catalog service could reach `server.publicUrl`, judged by its form. No request is sent. */
export function publicUrlFinding(
  publicUrl: string | undefined,
  workspaces: readonly { readonly key: string; readonly baseUrl: string }[],
): Finding {
  const what = 'public URL';
  if (publicUrl === undefined)
    return {
      level: 'warn',
      what,
      detail: 'server.publicUrl is not set: no webhook is registered, and results arrive by polling',
    };
  const address = new URL(publicUrl);
  // A loopback public URL works only if the catalog runs on this machine; a remote catalog would call itself.
  const remote = workspaces.filter(({ baseUrl }) => !isLoopback(new URL(baseUrl)));
  const [first] = remote;
  const unreachable = isLoopback(address) || PRIVATE.test(address.hostname);
  if (first && unreachable) {
    const detail = `${publicUrl} cannot be reached by workspace ${first.key} (${first.baseUrl}): set server.publicUrl to a public address; until then, results arrive by polling`;
    return { level: 'warn', what, detail };
  }
  return { level: 'ok', what, detail: publicUrl };
}

/** A weak secret of our own is a failure. The length of one that a service issued is not the operator's choice. */
export function secretFindings(weak: readonly WeakSecret[]): Finding[] {
  return weak.map(({ weakness, issuedBy, text }) => ({
    level: weakness === 'short' && issuedBy === 'other side' ? 'warn' : 'FAIL',
    what: 'secrets',
    detail: text,
  }));
}

const REACH_WITHIN_MS = 5_000;

/**
 * Requests the daemon by its public address from here, as the catalog does: a proxy may pass nothing but webhooks. The delivery is for a
 * workspace that nobody has, so the daemon only refuses it. A missing response is not a failure, because the daemon may be stopped, and a
 * network may not route back into itself. Follows no redirect.
 */
export async function publicUrlAnswer(publicUrl: string): Promise<Finding> {
  const what = 'public URL';
  const address = new URL(publicUrl);
  if (address.protocol !== 'https:' && !isLoopback(address))
    return {
      level: 'FAIL',
      what,
      detail: `${publicUrl} is not https: the catalog calls https addresses only`,
    };
  const url = `${withoutTrailing(publicUrl, '/')}/webhooks/catalog/-`;
  try {
    const answer = await sendOutgoing({
      method: 'POST',
      url: new URL(url),
      headers: {},
      timeoutMs: REACH_WITHIN_MS,
      maxBytes: MAX_SHORT_ANSWER_BYTES,
    });
    if (answer.status === 404 && answer.body.includes(NO_SUCH_WORKSPACE))
      return { level: 'ok', what, detail: `${publicUrl} leads to store-sync` };
    const detail = `${url} answers ${String(answer.status)}: another program or a proxy answers; until that is fixed, results arrive by polling`;
    return { level: 'warn', what, detail };
  } catch (error) {
    const detail = `${url} does not answer (${causeOf(error)}): the daemon may be stopped, or the address does not lead to it`;
    return { level: 'warn', what, detail };
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof OutgoingError)) return errorLine(error);
  return error.late
    ? `no answer within ${String(REACH_WITHIN_MS / 1000)} seconds`
    : (error.code ?? error.message);
}

/** The receiver of notifications: only its host, because the address is a secret. */
export function notificationsFinding(webhookUrl: string | undefined): Finding {
  const detail =
    webhookUrl === undefined
      ? 'notifications.webhookUrl is not set: no notifications are sent'
      : `sent to ${new URL(webhookUrl).host}`;
  return { level: 'ok', what: 'notifications', detail };
}

/** Without a token there is no dashboard and no API. That is allowed, but seldom intended. */
export function dashboardFinding(server: AppConfig['server']): Finding {
  const what = 'dashboard and API';
  if (server.adminToken === undefined && Object.keys(server.tokens).length === 0)
    return { level: 'warn', what, detail: 'off: set server.adminToken (ADMIN_TOKEN) to turn them on' };
  return { level: 'ok', what, detail: 'on, behind a token' };
}

/** The time limit of a check for a waiting person. A side that is silent this long counts as down. */
const PROBE_WITHIN_MS = 8_000;

/** Runs one probe. Any error becomes a finding with the place. */
export async function probed(
  what: string,
  probe: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  const late = timedOut(`no answer within ${String(PROBE_WITHIN_MS / 1000)} seconds`);
  try {
    const found = await within(PROBE_WITHIN_MS, probe(), late);
    return 'level' in found ? [found] : found;
  } catch (error) {
    return [{ level: 'FAIL', what, detail: errorLine(error) }];
  }
}

/** Fail within seconds and with the reason. A probe that runs into its time limit has no reason to show. */
export const IMPATIENT = { retryDelayScale: 0.05, maxThrottleWaitMs: 5_000 };

/**
 * Checks everything outside this machine: all sides at once, in the order of the configuration. No request goes to the stores in
 * `uninstalled`, whose tokens are gone.
 */
export async function checkConnections(
  connections: Connections,
  lookAtSlot: (workspace: Workspace) => Promise<SlotFinding>,
  uninstalled: ReadonlySet<string> = new Set(),
): Promise<Finding[]> {
  const stores = connections.stores.filter(({ key }) => !uninstalled.has(key));
  const found = await Promise.all([checkWorkspaces(connections, lookAtSlot), checkStores({ stores })]);
  return found.flat();
}

/** The login and the webhook slot of each workspace. */
export async function checkWorkspaces(
  connections: Pick<Connections, 'workspaces'>,
  lookAtSlot: (workspace: Workspace) => Promise<SlotFinding>,
): Promise<Finding[]> {
  const checks = connections.workspaces.flatMap((workspace) => [
    probed(`workspace ${workspace.key}: catalog login`, () => catalogLogin(workspace)),
    probed(`workspace ${workspace.key}: webhook slot`, async () =>
      webhookSlot(workspace, await lookAtSlot(workspace)),
    ),
  ]);
  return (await Promise.all(checks)).flat();
}

/** Credentials, scopes, API version and languages of each store, as the store reports them. */
export async function checkStores(connections: Pick<Connections, 'stores'>): Promise<Finding[]> {
  const checks = connections.stores.map((store) => probed(`store ${store.key}`, () => storeFindings(store)));
  return (await Promise.all(checks)).flat();
}

async function catalogLogin(workspace: Workspace): Promise<Finding> {
  const what = `workspace ${workspace.key}: catalog login`;
  try {
    const page = await workspace.client.listProducts();
    const count = page.count == null ? '' : `, ${counted(page.count, 'product')}`;
    return { level: 'ok', what, detail: `${workspace.settings.baseUrl} answers${count}` };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const problem = `${workspace.settings.baseUrl}: ${errorLine(error)}`;
    if (!isCoded(error, 'auth')) return { level: 'FAIL', what, detail: problem };
    const detail = `${withoutTrailing(problem, '.')}: ${refusalAdvice(error, workspace)}`;
    return { level: 'FAIL', what, detail };
  }
}

/** A 401 is about the token itself, a 403 about its permissions (docs/catalog-rules.md#authentication). */
function refusalAdvice({ status }: CodedError, { key, settings }: Workspace): string {
  const auth = `workspaces.${key}.auth`;
  if (status !== 403) return `the token is missing, wrong or revoked: check ${auth}`;
  const login = settings.auth.email === undefined ? `, or add a login (email and password) to ${auth}` : '';
  return `the token is valid, but lacks the permission or subscription: ask the operator of the service to extend it${login}`;
}

/** An empty or foreign slot is not a failure: results arrive by polling, and the check registers nothing. */
function webhookSlot(workspace: Workspace, look: SlotFinding): Finding {
  const what = `workspace ${workspace.key}: webhook slot`;
  const found = withoutTrailing(look.detail, '.');
  switch (look.state) {
    case 'ours':
      return { level: 'ok', what, detail: look.detail };
    case 'outdated':
      return {
        level: 'warn',
        what,
        detail: `${found}: run store-sync webhook register, or start the daemon, which writes it`,
      };
    case 'free':
      return {
        level: 'warn',
        what,
        detail: `${found}: with server.publicUrl, the daemon registers it; until then, results arrive by polling`,
      };
    case 'foreign':
    case 'unknown':
      return { level: 'warn', what, detail: `${found}: results arrive by polling` };
  }
}

async function storeFindings(store: Store): Promise<readonly Finding[]> {
  const findings = await connectorFindings(store.connector);
  return findings.map(({ level, what, detail }) => ({
    level: level === 'fail' ? 'FAIL' : level,
    what: `store ${store.key}: ${what}`,
    detail,
  }));
}
