import { WebhookSlot } from '../../sites/webhook-slot.js';
import { connectSites } from '../../sites/connect-sites.js';
import type { Sites } from '../../sites/sites.js';
import { parseSettings, secretValues } from '../../config/index.js';
import { redactSecrets } from '../../observability/logging/index.js';
import { Metrics } from '../../observability/metrics/metrics.js';
import {
  checkStores,
  checkWorkspaces,
  publicUrlAnswer,
  publicUrlFinding,
  type Finding,
} from '../../operations/check.js';
import { SILENT_LOGGER } from '../../runtime/logger.js';
import { IMPATIENT, NO_STATE } from '../check-parts.js';
import { listedLocales, type Answers } from './answers.js';
import type { Probes } from './steps.js';

type Tree = Readonly<Record<string, unknown>>;

/** The same tests as those of `store-sync check`, each on the answers so far. */
export const PROBES: Probes = {
  catalog: (answers) =>
    onSites({ workspaces: workspaceOf(answers) }, (sites, slot) =>
      checkWorkspaces(sites, (workspace) => slot.look(workspace)),
    ),
  store: (answers) =>
    onSites({ workspaces: workspaceOf(answers), stores: storeOf(answers) }, (sites) => checkStores(sites)),
  publicUrl: async (answers) => {
    const { publicUrl } = answers;
    const tree = { server: { publicUrl }, workspaces: workspaceOf(answers) };
    return onSites(tree, async (sites) => {
      const workspaces = sites.workspaces.map(({ key, settings }) => ({ key, baseUrl: settings.baseUrl }));
      const form = publicUrlFinding(publicUrl === '' ? undefined : publicUrl, workspaces);
      if (publicUrl === undefined || publicUrl === '') return [form];
      return [form, await publicUrlAnswer(publicUrl)];
    });
  },
};

function workspaceOf({ baseUrl, catalogToken, catalogEmail, catalogPassword, locale }: Answers): Tree {
  const auth = { apiToken: catalogToken, email: catalogEmail, password: catalogPassword };
  return { default: { baseUrl, auth, locale } };
}

function storeOf(answers: Answers): Tree {
  const { store, shop, endpoint, clientId, clientSecret, accessToken } = answers;
  const auth = accessToken === undefined ? { clientId, clientSecret } : { accessToken };
  return {
    [store]: { workspace: 'default', shop, endpoint, auth, writeBack: { locales: listedLocales(answers) } },
  };
}

/** Settings that the schema refuses are failed findings, and so need no request. Findings never show a secret. */
async function onSites(
  tree: Tree,
  test: (sites: Sites, slot: WebhookSlot) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const parsed = parseSettings(tree);
  if ('problems' in parsed)
    return parsed.problems.map((detail): Finding => ({ level: 'FAIL', what: 'setting', detail }));
  const { config } = parsed;
  const sites = connectSites(config, { metrics: new Metrics(), logger: SILENT_LOGGER }, IMPATIENT);
  try {
    const secrets = secretValues(config);
    const findings = await test(sites, new WebhookSlot(config, NO_STATE));
    return findings.map((finding) => ({ ...finding, detail: redactSecrets(finding.detail, secrets) }));
  } finally {
    await sites.close();
  }
}
