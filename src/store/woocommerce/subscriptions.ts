import { CodedError } from '../../domain/errors.js';
import type { WooClient } from './client.js';
import { walk } from './pages.js';
import { anything, webhookSchema } from './schemas.js';

const PATH = 'wc/v3/webhooks';
const TOPICS = ['product.created', 'product.updated', 'product.deleted', 'product.restored'];

/**
 * One webhook for each topic, signed under our secret. The shop disables one after seven failures in a row and never tries it again, and
 * shows no secret. So each is written again, active and with the present secret.
 */
export async function ensureWebhooks(
  client: WooClient,
  uri: string,
  secret: string | undefined,
): Promise<void> {
  if (secret === undefined)
    throw new CodedError('misconfigured', 'webhookSecret is not set: no event of the shop could be verified');
  const present = await webhooksAt(client, uri);
  for (const topic of TOPICS) {
    const [hook, ...others] = present.filter((each) => each.topic === topic);
    // Two processes that started at once have each registered one.
    for (const { id } of others) await remove(client, id);
    if (hook === undefined) {
      const body = { name: `store-sync ${topic}`, topic, delivery_url: uri, secret };
      await client.run({ method: 'POST', path: PATH, body }, anything);
    } else {
      const body = { status: 'active', secret };
      await client.run({ method: 'PUT', path: `${PATH}/${String(hook.id)}`, body }, anything);
    }
  }
}

export async function removeWebhooks(client: WooClient, uri: string): Promise<void> {
  for (const { id } of await webhooksAt(client, uri)) await remove(client, id);
}

async function remove(client: WooClient, id: number): Promise<void> {
  await client.run({ method: 'DELETE', path: `${PATH}/${String(id)}`, query: { force: 'true' } }, anything);
}

async function webhooksAt(client: WooClient, uri: string) {
  const found = [];
  for await (const { rows } of walk(client, { path: PATH }, webhookSchema))
    found.push(...rows.filter(({ delivery_url: address }) => address === uri));
  return found;
}
