import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../contract.js';
import { productOf, taskEnd, type SandboxControl } from '../harness.js';
import type { Received, Reply } from '../receiver.js';
import { FAILS, HAS_NO_URLS } from '../rehearsal.js';
import { deliveryShape, type Delivery } from '../shapes.js';

export { FAILS, HAS_NO_URLS };
export const SECRET = 'a secret that both sides know';

/** Longer than the first wait before a retry, which is about a second. */
const QUIET_MS = 3_000;

export interface Slot {
  readonly secret?: string;
  readonly actions?: readonly string[];
  readonly replies?: readonly Reply[];
}

/** Points the webhook slot to a path of its own, which answers with `replies`. */
export async function watch(
  contract: Contract,
  { secret, actions, replies = [200] }: Slot = {},
  api = contract.api,
): Promise<string> {
  const path = `/${contract.unique('hook')}`;
  contract.receiver.answer(path, ...replies);
  await api.post('/settings/webhooks/', {
    url: contract.receiver.url(path),
    ...(secret === undefined ? {} : { hmac_secret: secret }),
    ...(actions === undefined ? {} : { actions }),
  });
  return path;
}

/** Makes a product end with this event, to a path of its own; answers when the request's task has ended, where it can be read. */
export async function deliver(
  contract: Contract,
  { body = {}, own, ...slot }: Slot & { body?: object; own?: SandboxControl } = {},
): Promise<{ path: string; productId: number }> {
  const api = own?.api ?? contract.api;
  const path = await watch(contract, slot, api);
  const product = productOf(
    await api.post('/products/', { external_id: contract.unique(), name: 'Kettle', ...body }),
  );
  if (own === undefined) contract.remember(product);
  await generate(contract, product.id, own);
  return { path, productId: product.id };
}

/** Requests generation. With a sandbox of the suite's own it waits for the end of the task. */
export async function generate(contract: Contract, productId: number, own?: SandboxControl): Promise<void> {
  const sandbox = own ?? contract.target.control;
  if (sandbox === undefined) {
    await contract.requestGeneration(productId);
    return;
  }
  const answer = await sandbox.api.post('/products/generate/', { product_ids: [productId] });
  await taskEnd(sandbox.api, (answer.body as { task_id: string }).task_id);
}

/** The deliveries to `path` about this product, once it is quiet for longer than a first retry waits. */
export async function afterQuiet(
  contract: Contract,
  path: string,
  productId?: number,
): Promise<readonly Received[]> {
  const about = (): readonly Received[] =>
    contract.receiver
      .at(path)
      .filter((received) => productId === undefined || parse(received).product?.id === productId);
  let count = -1;
  while (about().length !== count) {
    count = about().length;
    await sleep(QUIET_MS);
  }
  return about();
}

/** Waits until the last delivery has come so far; its end is decided in the database, which is asked. */
export async function settled(own: SandboxControl, attempts: number) {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline;) {
    const last = (await own.sandbox.deliveries()).at(-1);
    if (last !== undefined && (last.attempts.length >= attempts || last.state === 'cancelled')) return last;
    await sleep(10);
  }
  throw new Error(`There were fewer than ${attempts} attempts`);
}

export function parse({ body }: Received): Delivery {
  return deliveryShape.parse(JSON.parse(body.toString('utf8')));
}

export async function onlyDelivery(
  contract: Contract,
  options: Parameters<typeof deliver>[1] = {},
): Promise<Received> {
  const { path, productId } = await deliver(contract, options);
  const [received] = await deliveriesOf(contract, path, productId, 1);
  return received!;
}

/** The first `count` deliveries to `path` about this product. What another test has generated may end there as well. */
export async function deliveriesOf(
  contract: Contract,
  path: string,
  productId: number,
  count: number,
): Promise<readonly Received[]> {
  for (let all = count; ; all += 1) {
    const received = await contract.receiver.waitFor(path, all, contract.target.waitMs);
    const own = received.filter((candidate) => parse(candidate).product?.id === productId);
    if (own.length >= count) return own;
  }
}
