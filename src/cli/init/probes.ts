import { CodedError, errorLine } from '../../domain/errors.js';
import { WebhookSlot } from '../../connections/webhook-slot.js';
import { connect, SILENT_OBSERVERS } from '../../connections/connect.js';
import type { Connections } from '../../connections/connections.js';
import { LOCALE_CODE, parseSettings, secretValues } from '../../config/index.js';
import { redactSecrets } from '../../observability/logging/index.js';
import {
  IMPATIENT,
  checkStores,
  checkWorkspaces,
  probed,
  publicUrlAnswer,
  publicUrlFinding,
  type Finding,
} from '../../operations/check.js';
import { NO_STATE } from '../../operations/check-setup.js';
import { isWooCommerce, listedLocales, type Answers } from './answers.js';
import type { Probes } from './steps.js';

type Tree = Readonly<Record<string, unknown>>;

/** In place of credentials that are not given yet. */
const NOT_GIVEN = 'not-given-yet';

/** The same tests as those of `store-sync check`, each on the answers so far, and before them those of addresses. */
export const PROBES: Probes = {
  catalogAddress: ({ store, baseUrl = '' }) => {
    const workspaces = workspaceOf({ store, baseUrl, catalogToken: NOT_GIVEN });
    return withConnections({ workspaces }, (connections) =>
      addressFindings(
        'catalog address',
        baseUrl,
        (address, problem) => `${address}: ${problem}; check the address, which usually ends in /api/v1`,
        async () => {
          for (const { client } of connections.workspaces) await client.listProducts();
        },
      ),
    );
  },
  catalog: (answers) =>
    withConnections({ workspaces: workspaceOf(answers) }, (connections, slot) =>
      checkWorkspaces(connections, (workspace) => slot.look(workspace)),
    ),
  language: (answers) => {
    const { locale = '' } = answers;
    const what = 'language';
    if (!LOCALE_CODE.test(locale))
      return Promise.resolve([
        {
          level: 'FAIL',
          what,
          detail: 'expected a language such as en or pt-BR; an empty answer leaves it to the service',
        },
      ]);
    return withConnections({ workspaces: workspaceOf(answers) }, (connections) =>
      probed(what, async () => {
        for (const { client } of connections.workspaces) await client.listProducts();
        return { level: 'ok', what, detail: `the catalog takes requests in ${locale}` };
      }),
    );
  },
  storeAddress: (answers) => {
    const { store, shop = '', endpoint } = answers;
    const none = { accessToken: NOT_GIVEN, consumerKey: NOT_GIVEN, consumerSecret: NOT_GIVEN };
    const stores = storeOf({ ...answers, ...none });
    return withConnections({ workspaces: workspaceOf(answers), stores }, (connections) =>
      addressFindings(
        'store address',
        endpoint ?? shop,
        (shop, problem) => `${shop}: ${problem}`,
        () => connections.store(store).connector.count(),
      ),
    );
  },
  store: (answers) =>
    withConnections({ workspaces: workspaceOf(answers), stores: storeOf(answers) }, (connections) =>
      checkStores(connections),
    ),
  publicUrl: async (answers) => {
    const { publicUrl } = answers;
    const tree = { server: { publicUrl }, workspaces: workspaceOf(answers) };
    return withConnections(tree, async (connections) => {
      const workspaces = connections.workspaces.map(({ key, settings }) => ({
        key,
        baseUrl: settings.baseUrl,
      }));
      const form = publicUrlFinding(publicUrl === '' ? undefined : publicUrl, workspaces);
      if (publicUrl === undefined || publicUrl === '') return [form];
      return [form, await publicUrlAnswer(publicUrl)];
    });
  },
};

/** A service that refuses a request without credentials, or is too busy, exists at this address. */
function addressFindings(
  what: string,
  address: string,
  problemAt: (address: string, problem: string) => string,
  ask: () => Promise<unknown>,
): Promise<readonly Finding[]> {
  return probed(what, async () => {
    try {
      await ask();
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      const { code, status } = error;
      const isThere = code === 'throttled' || status === 401 || status === 403;
      if (!isThere) return { level: 'FAIL', what, detail: problemAt(address, errorLine(error)) };
    }
    return { level: 'ok', what, detail: `${address} answers, and asks for credentials` };
  });
}

function workspaceOf({ baseUrl, catalogToken, catalogEmail, catalogPassword, locale }: Answers): Tree {
  const auth = { apiToken: catalogToken, email: catalogEmail, password: catalogPassword };
  return { default: { baseUrl, auth, locale } };
}

function storeOf(answers: Answers): Tree {
  const { store, shop, endpoint, clientId, clientSecret, accessToken, consumerKey, consumerSecret } = answers;
  const common = { workspace: 'default', writeBack: { locales: listedLocales(answers) } };
  if (isWooCommerce(answers)) {
    const auth = { consumerKey, consumerSecret };
    return { [store]: { ...common, kind: 'woocommerce', url: shop, auth } };
  }
  const auth = accessToken === undefined ? { clientId, clientSecret } : { accessToken };
  return { [store]: { ...common, shop, endpoint, auth } };
}

/** Settings that the schema refuses are failed findings, and so need no request. Findings never show a secret. */
async function withConnections(
  tree: Tree,
  test: (connections: Connections, slot: WebhookSlot) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const parsed = parseSettings(tree);
  if ('problems' in parsed)
    return parsed.problems.map((detail): Finding => ({ level: 'FAIL', what: 'setting', detail }));
  const { config } = parsed;
  const connections = connect(config, SILENT_OBSERVERS, { waits: IMPATIENT });
  try {
    const secrets = secretValues(config);
    const findings = await test(connections, new WebhookSlot(config, NO_STATE));
    return findings.map((finding) => ({ ...finding, detail: redactSecrets(finding.detail, secrets) }));
  } finally {
    await connections.close();
  }
}
