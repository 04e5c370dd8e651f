import { createHmac, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { startTestShop } from '../../support/sandbox/test-shop.js';
import { WooConnector } from '../../../src/store/woocommerce/connector.js';
import { WooEvents } from '../../../src/store/woocommerce/events.js';
import { Receiver } from '../receiver.js';
import type { Abilities, Shopkeeper, StoreSubject } from './subject.js';

/** The shop by its address, and a key of a shop manager that may read and write. */
export interface WooCommerceShop {
  readonly url: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly webhookSecret: string;
}

const CAN: Abilities = {
  guardsTexts: false,
  looksBeforeTexts: true,
  announcesDeletes: false,
  announcesNoOps: true,
  takesFreeText: true,
};

export function woocommerceSubject(shop: WooCommerceShop, receiver: Receiver | null): StoreSubject {
  const { url, consumerKey, consumerSecret, webhookSecret } = shop;
  const connector = new WooConnector({
    url,
    key: { consumerKey, consumerSecret },
    webhookSecret,
    namespace: 'contract',
  });
  return {
    kind: 'woocommerce',
    connector,
    settings: { kind: 'woocommerce', url, auth: { consumerKey, consumerSecret } },
    events: new WooEvents(webhookSecret),
    keeper: woocommerceKeeper(shop),
    can: CAN,
    section: { target: 'metafield:contract.section', type: null },
    // A key of WooCommerce's own: the shop would carry it out and hide it.
    refused: { target: 'metafield:meta._edit_lock', value: '1:1', type: null },
    receiver,
    emulator: null,
    close: () => connector.close(),
  };
}

export async function emulatedWooCommerce(version?: string): Promise<StoreSubject> {
  const shop = await startTestShop(version === undefined ? {} : { version });
  const receiver = await Receiver.start();
  const { url, consumerKey, consumerSecret, products, requests, internalErrors } = shop;
  const webhookSecret = 'of the contract';
  const subject = woocommerceSubject({ url, consumerKey, consumerSecret, webhookSecret }, receiver);
  const edit = (id: string, { title, descriptionHtml }: { title?: string; descriptionHtml?: string }): void =>
    void products.edit(Number(id), {
      ...(title === undefined ? {} : { name: title }),
      ...(descriptionHtml === undefined ? {} : { description: descriptionHtml }),
    });
  return {
    ...subject,
    emulator: {
      fill: (count) =>
        Array.from({ length: count }, (_, at) =>
          String(products.create({ row: { name: `Filled ${at}` } }).id),
        ),
      duringRequests: (act) =>
        shop.beforeEach(({ path, method }) =>
          method === 'GET' && path.includes('products') ? act() : undefined,
        ),
      edit,
      remove: (id) => products.delete(Number(id)),
      // The shop counts products that the key may not read.
      breakWholeRead: () => shop.hideFromKeys(products.list().slice(0, 5)),
      throttle: () => shop.failNext(429),
      loseAnswerOfWrite: () => shop.resetNext({ when: 'after', operation: 'PUT' }),
      beforeWrite: (act) => shop.beforeEach(({ method }) => (method === 'PUT' ? act() : undefined)),
      revoke: () => shop.revokeKey(consumerKey),
      // One that was refused changed nothing; of one that was cut off, nobody knows.
      writes: () =>
        requests.filter(
          ({ method, path, status }) =>
            method !== 'GET' && path.includes('products') && (status === null || status < 300),
        ).length,
      settle: () => shop.idle(),
      webhookSecret,
    },
    close: async () => {
      await subject.close();
      await shop.stop();
      await receiver.stop();
      if (internalErrors.length > 0) throw new AggregateError(internalErrors);
    },
  };
}

const productSchema = z.object({ id: z.number() });

/** By the REST API with a key: over https by basic authentication, over http signed for the address that the shop calls its own. */
function woocommerceKeeper({ url, consumerKey, consumerSecret }: WooCommerceShop): Shopkeeper {
  let home: string | null = null;
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const address = new URL(`${url}/wp-json/wc/v3/${path}`);
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (address.protocol === 'https:')
      headers['authorization'] =
        `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;
    else {
      home ??= z
        .object({ home: z.string() })
        .parse(await (await fetch(`${url}/wp-json/?_fields=home`)).json()).home;
      sign(address, method, home.replace(/\/$/, ''), { consumerKey, consumerSecret });
    }
    const response = await fetch(address, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const answer: unknown = await response.json();
    if (!response.ok && response.status !== 404) throw new Error(JSON.stringify(answer));
    return answer;
  };
  return {
    create: async ({ title, descriptionHtml = '', isDraft = false }) => {
      const body = { name: title, description: descriptionHtml, status: isDraft ? 'draft' : 'publish' };
      return String(productSchema.parse(await ask('POST', 'products', body)).id);
    },
    edit: async (id, { title, descriptionHtml }) => {
      await ask('PUT', `products/${id}`, { name: title, description: descriptionHtml });
    },
    remove: async (id) => {
      await ask('DELETE', `products/${id}?force=true`);
    },
  };
}

function sign(
  address: URL,
  method: string,
  home: string,
  key: { readonly consumerKey: string; readonly consumerSecret: string },
): void {
  const { searchParams } = address;
  searchParams.set('oauth_consumer_key', key.consumerKey);
  searchParams.set('oauth_nonce', randomUUID());
  searchParams.set('oauth_signature_method', 'HMAC-SHA256');
  searchParams.set('oauth_timestamp', String(Math.floor(Date.now() / 1000)));
  const pairs = [...searchParams].map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  const base = [method, home + address.pathname, pairs.sort().join('&')].map(encodeURIComponent).join('&');
  searchParams.set(
    'oauth_signature',
    createHmac('sha256', `${key.consumerSecret}&`).update(base).digest('base64'),
  );
}
