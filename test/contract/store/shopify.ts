import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { startTestStore } from '../../support/sandbox/test-store.js';
import { ShopifyConnector } from '../../../src/store/shopify/connector.js';
import { ShopifyEvents } from '../../../src/store/shopify/events.js';
import { Receiver } from '../receiver.js';
import type { Abilities, Shopkeeper, StoreSubject } from './subject.js';

const API_VERSION = '2026-10';

/** The shop by its address, and the app's access to it. */
export interface ShopifyShop {
  readonly shop: string;
  readonly url: string;
  readonly accessToken: string;
  readonly webhookSecret: string;
}

const CAN: Abilities = {
  guardsTexts: false,
  looksBeforeTexts: false,
  announcesDeletes: true,
  announcesNoOps: false,
  takesFreeText: false,
};

/** A shop of Shopify's, known by its address. */
export function shopifySubject(
  shop: ShopifyShop,
  receiver: Receiver | null,
  options: { readonly isEmulated?: boolean } = {},
): StoreSubject {
  const connector = new ShopifyConnector({
    shop: shop.shop,
    endpoint: shop.url,
    auth: { accessToken: shop.accessToken },
    apiVersion: API_VERSION,
    ...(options.isEmulated === true ? { sleep: (ms: number) => sleep(Math.min(ms, 10)) } : {}),
  });
  return {
    kind: 'shopify',
    connector,
    settings: {
      kind: 'shopify',
      shop: shop.shop,
      endpoint: shop.url,
      auth: { accessToken: shop.accessToken },
    },
    events: new ShopifyEvents(shop.shop, shop.webhookSecret),
    keeper: shopifyKeeper(shop),
    can: CAN,
    section: { target: 'metafield:contract.section', type: 'multi_line_text_field' },
    refused: { target: 'metafield:contract.count', value: 'many', type: 'number_integer' },
    receiver,
    emulator: null,
    close: () => connector.close(),
  };
}

/** The same of a sandbox: by exports, or by pages where it refuses exports. */
export async function emulatedShopify(by: 'exports' | 'pages'): Promise<StoreSubject> {
  const store = await startTestStore({ exportMs: 30, throttle: false });
  if (by === 'pages') store.setBulkMode('access_denied');
  const receiver = await Receiver.start();
  const { shop, url, webhookSecret } = store;
  const subject = shopifySubject(
    { shop, url, webhookSecret, accessToken: store.accessToken ?? '' },
    receiver,
    {
      isEmulated: true,
    },
  );
  return {
    ...subject,
    emulator: {
      fill: (count) =>
        Array.from({ length: count }, () => {
          const handle = `filled-${crypto.randomUUID()}`;
          return store.products.create({ title: handle, handle }).gid;
        }),
      duringRequests: () => undefined,
      edit: (id, texts) => void store.products.merchantEdit(id, texts),
      remove: (id) => store.products.delete(id),
      breakWholeRead: by === 'pages' ? null : () => store.setBulkMode('truncated'),
      throttle: () => store.throttleNext(),
      loseAnswerOfWrite: () => store.resetNext({ when: 'after', operation: 'productUpdate' }),
      beforeWrite: null,
      revoke: () => store.revokeTokens(),
      writes: () => store.mutations.filter(({ name }) => !/^(?:bulk|webhook)/.test(name)).length,
      settle: () => store.idle(),
      webhookSecret,
    },
    close: async () => {
      await subject.close();
      await store.stop();
      await receiver.stop();
      if (store.internalErrors.length > 0) throw new AggregateError(store.internalErrors);
    },
  };
}

const answerSchema = z.object({
  data: z.record(
    z.string(),
    z.object({
      product: z.object({ id: z.string() }).nullish(),
      userErrors: z.array(z.object({ message: z.string() })),
    }),
  ),
});

function shopifyKeeper(shop: ShopifyShop): Shopkeeper {
  const ask = async (mutation: string, variables: object): Promise<string> => {
    const response = await fetch(`${shop.url}/admin/api/${API_VERSION}/graphql.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-shopify-access-token': shop.accessToken },
      body: JSON.stringify({ query: mutation, variables }),
    });
    const [payload] = Object.values(answerSchema.parse(await response.json()).data);
    const [error] = payload?.userErrors ?? [];
    if (error) throw new Error(error.message);
    return payload?.product?.id ?? '';
  };
  return {
    create: ({ title, descriptionHtml = '', isDraft = false }) =>
      ask(
        'mutation C($product: ProductCreateInput!) { productCreate(product: $product) { product { id } userErrors { message } } }',
        { product: { title, descriptionHtml, status: isDraft ? 'DRAFT' : 'ACTIVE' } },
      ),
    edit: async (id, texts) => {
      await ask(
        'mutation U($product: ProductUpdateInput!) { productUpdate(product: $product) { product { id } userErrors { message } } }',
        { product: { id, ...texts } },
      );
    },
    remove: async (id) => {
      await ask(
        'mutation D($input: ProductDeleteInput!) { productDelete(input: $input) { userErrors { message } } }',
        { input: { id } },
      );
    },
  };
}
