import { setTimeout as sleep } from 'node:timers/promises';
import { productOf, taskEnd, type Contract, type SandboxControl } from '../harness.js';
import type { Received, Reply } from '../receiver.js';
import { deliveryShape, type Delivery } from '../shapes.js';

export const SECRET = 'a secret that both sides know';

/** Makes a product end with this event, to a path of its own; answers the deliveries that came when the task had ended. */
export async function deliver(
  contract: Contract,
  options: {
    body?: object;
    secret?: string;
    actions?: string[];
    replies?: Reply[];
    own?: SandboxControl;
  } = {},
): Promise<{ path: string; productId: number }> {
  const { body = {}, secret, actions, replies = [200], own = contract.own } = options;
  const path = `/${contract.unique('hook')}`;
  contract.receiver.answer(path, ...replies);
  await own.api.post('/settings/webhooks/', {
    url: contract.receiver.url(path),
    ...(secret === undefined ? {} : { hmac_secret: secret }),
    ...(actions === undefined ? {} : { actions }),
  });
  const product = productOf(
    await own.api.post('/products/', { external_id: contract.unique(), name: 'Kettle', ...body }),
  );
  await generate(own, product.id);
  return { path, productId: product.id };
}

export async function generate(own: SandboxControl, productId: number): Promise<void> {
  const answer = await own.api.post('/products/generate/', { product_ids: [productId] });
  await taskEnd(own.api, (answer.body as { task_id: string }).task_id);
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
  const { path } = await deliver(contract, options);
  const [received] = await contract.receiver.waitFor(path, 1);
  if (received === undefined) throw new Error('Nothing was delivered');
  return received;
}

export const FAILS = { metadata: { sandbox_outcome: 'failed' } };
export const HAS_NO_URLS = { metadata: { sandbox_outcome: 'no_urls' } };
