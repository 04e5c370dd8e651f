import { Api } from './api.js';
import { Contract, type Target } from './contract.js';
import { Receiver } from './receiver.js';
import { rehearse, type Slot } from './rehearsal.js';
import { LOGIN, SandboxControl } from './sandbox-control.js';

/**
 * The needs of a test besides a base URL and a token.
 *
 * `sandbox`: the clock, the database or the operator of a sandbox of its own. `url`: a service in real time; a sandbox of its own
 * proves the rule by its clock. `slot`: the webhook slot is free or may be borrowed. `generation`: generation can be requested.
 * `tasks`: background tasks can be read. `deliveries`: deliveries reach the suite's receiver. `failing` and `no urls`: the
 * outcome of a generation can be chosen. `narrow token`: a token that lacks a permission.
 */
export type Need =
  | 'login'
  | 'sandbox'
  | 'url'
  | 'slot'
  | 'generation'
  | 'tasks'
  | 'deliveries'
  | 'failing'
  | 'no urls'
  | 'narrow token';

export interface OpenedTarget {
  readonly contract: Contract;
  /** True for a service of which only the URL and the credentials are known. */
  readonly byUrl: boolean;
  /** Each need that this target does not meet, with the reason. */
  readonly missing: ReadonlyMap<Need, string>;
  /** Undoes what the suite changed; answers what it could not undo. */
  close(): Promise<readonly string[]>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The service that CONTRACT_URL names, or a sandbox of the suite's own. */
export function openTarget(env: Environment): Promise<OpenedTarget> {
  const url = env['CONTRACT_URL'];
  return url === undefined ? openSandbox() : openService(url, env);
}

async function openSandbox(): Promise<OpenedTarget> {
  const control = await SandboxControl.start();
  const receiver = await Receiver.start();
  const contract = new Contract({
    api: control.api,
    login: LOGIN,
    control,
    receiver,
    generationPath: '/products/generate/',
    narrowToken: (await control.sandbox.issueApiToken('products only', { scopes: ['products'] })).token,
    locale: 'de',
    waitMs: 10_000,
    allRetries: false,
  });
  return {
    contract,
    byUrl: false,
    missing: new Map([['url', 'a test with the sandbox’s own clock proves it']]),
    close: async () => {
      await contract.cleanUp();
      await control.stop();
      await receiver.stop();
      return [];
    },
  };
}

async function openService(url: string, env: Environment): Promise<OpenedTarget> {
  const receiver = await Receiver.start({
    ...(env['CONTRACT_RECEIVER_HOST'] === undefined ? {} : { host: env['CONTRACT_RECEIVER_HOST'] }),
    port: Number(env['CONTRACT_RECEIVER_PORT'] ?? '0'),
    ...(env['CONTRACT_RECEIVER_URL'] === undefined ? {} : { publicUrl: env['CONTRACT_RECEIVER_URL'] }),
  });
  const { CONTRACT_EMAIL: email, CONTRACT_PASSWORD: password } = env;
  const contract = new Contract({
    api: new Api(url.replace(/\/$/, ''), env['CONTRACT_TOKEN'] ?? ''),
    login: { email: email ?? '', password: password ?? '' },
    control: undefined,
    receiver,
    generationPath: env['CONTRACT_GENERATION_PATH'] ?? '/products/generate/',
    narrowToken: env['CONTRACT_NARROW_TOKEN'],
    locale: env['CONTRACT_LOCALE'] ?? 'de',
    waitMs: Number(env['CONTRACT_WAIT_SECONDS'] ?? '60') * 1000,
    allRetries: env['CONTRACT_ALL_RETRIES'] !== undefined,
  });
  const { missing, slot } = await rehearse(contract, {
    takeSlot: env['CONTRACT_TAKE_SLOT'] !== undefined,
    generate: env['CONTRACT_NO_GENERATION'] === undefined,
  });
  if (email === undefined || password === undefined)
    missing.set('login', '--email and --password are missing');
  if (contract.target.narrowToken === undefined) missing.set('narrow token', '--narrow-token is missing');
  missing.set('sandbox', 'only a sandbox of the suite’s own shows it');
  return {
    contract,
    byUrl: true,
    missing,
    close: async () => {
      const left = await contract.cleanUp();
      const problems = left.length === 0 ? [] : [`products that could not be deleted: ${left.join(', ')}`];
      if (!missing.has('slot')) problems.push(...(await giveBack(contract.target, slot)));
      await receiver.stop();
      return problems;
    },
  };
}

/** Restores the webhook slot as it was before the suite. */
async function giveBack({ api }: Target, slot: Slot): Promise<readonly string[]> {
  const { status } =
    slot === undefined
      ? await api.delete('/settings/webhooks/')
      : await api.post('/settings/webhooks/', slot);
  return status < 300 || (slot === undefined && status === 404)
    ? []
    : [`the webhook configuration could not be restored (${status})`];
}
