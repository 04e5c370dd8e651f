import { deliveryShape } from './shapes.js';
import { succeeded } from './expectations.js';
import type { Contract } from './contract.js';
import type { Need } from './target.js';
import { webhookShape } from './shapes.js';

/** The webhook configuration that the suite found and gives back; undefined where there was none. */
export type Slot = Readonly<Record<string, unknown>> | undefined;

export interface RehearsalOptions {
  /** Borrow a webhook slot that is in use, and restore it. */
  readonly takeSlot: boolean;
  /** Request generation, which costs credits. */
  readonly generate: boolean;
}

/** The tags by which the project's sandbox chooses the outcome of a generation. */
export const FAILS = { metadata: { tags: ['sandbox-failed'] } };
export const HAS_NO_URLS = { metadata: { tags: ['sandbox-no-urls'] } };

const NEEDS_DELIVERIES = ['deliveries', 'failing', 'no urls'] as const;

/**
 * Tries once what many tests need, so that a test that the service or the network makes impossible is skipped with the reason.
 * It borrows the webhook slot and generates three products. Throws when the service does not list products with this token.
 */
export async function rehearse(
  contract: Contract,
  options: RehearsalOptions,
): Promise<{ missing: Map<Need, string>; slot: Slot }> {
  const { api } = contract;
  const listing = await api.get('/products/');
  if (!succeeded(listing)) throw new Error(`${api.baseUrl}/products/ answered ${listing.status}`);
  const missing = new Map<Need, string>();
  const tasks = await api.get('/background-tasks/');
  if (!succeeded(tasks)) missing.set('tasks', `GET /background-tasks/ answered ${tasks.status}`);
  const slot = await lookAtSlot(contract, options, missing);
  const setBack = (needs: readonly Need[], reason: string): void => {
    for (const need of needs) if (!missing.has(need)) missing.set(need, reason);
  };
  if (!options.generate) setBack(['generation', ...NEEDS_DELIVERIES], '--no-generation was given');
  else await rehearseGeneration(contract, missing, setBack);
  return { missing, slot };
}

async function lookAtSlot(
  { api }: Contract,
  { takeSlot }: RehearsalOptions,
  missing: Map<Need, string>,
): Promise<Slot> {
  const answer = await api.get('/settings/webhooks/');
  const present = webhookShape.safeParse(answer.body);
  if (answer.status !== 404 && !succeeded(answer)) {
    missing.set('slot', `GET /settings/webhooks/ answered ${answer.status}`);
  } else if (present.success && !takeSlot) {
    missing.set('slot', `the webhook slot is in use by ${present.data.url}: --take-slot borrows it`);
  }
  if (!present.success) return undefined;
  // Null and absent mean the same, and only the latter is documented in a request.
  return Object.fromEntries(
    Object.entries(present.data).filter(
      ([name, value]) => ['url', 'hmac_secret', 'actions'].includes(name) && value !== null,
    ),
  );
}

async function rehearseGeneration(
  contract: Contract,
  missing: Map<Need, string>,
  setBack: (needs: readonly Need[], reason: string) => void,
): Promise<void> {
  const { api, receiver, target } = contract;
  const path = `/${contract.unique('rehearsal')}`;
  if (!missing.has('slot')) await api.post('/settings/webhooks/', { url: receiver.url(path) });
  const products = [];
  for (const body of [{}, FAILS, HAS_NO_URLS])
    products.push(await contract.create({ name: 'Kettle', ...body }));
  const answer = await api.post(target.generationPath, { product_ids: products.map(({ id }) => id) });
  if (!succeeded(answer)) {
    const reason = `POST ${target.generationPath} answered ${answer.status}: --generation-path names it`;
    setBack(['generation', ...NEEDS_DELIVERIES], reason);
    return;
  }
  const taken = missing.get('slot');
  if (taken !== undefined) {
    setBack(NEEDS_DELIVERIES, taken);
    return;
  }
  const received = await receiver
    .waitFor(path, products.length, target.waitMs)
    .catch(() => receiver.at(path));
  if (received.length === 0) {
    const reason = `no delivery reached ${receiver.url('')} within ${target.waitMs / 1000} s: --receiver-url`;
    setBack(NEEDS_DELIVERIES, reason);
  }
  const actions = received.map(
    ({ body }) => deliveryShape.safeParse(JSON.parse(body.toString())).data?.action,
  );
  for (const [need, action] of [
    ['failing', 'product_generation_failed'],
    ['no urls', 'product_generation_no_urls'],
  ] as const)
    if (!actions.includes(action)) setBack([need], `this service cannot be told to end with ${action}`);
}
