import { randomBytes } from 'node:crypto';
import { Receiver } from '../receiver.js';
import { emulatedShopify, shopifySubject } from './shopify.js';
import type { StoreSubject } from './subject.js';
import { emulatedWooCommerce, woocommerceSubject } from './woocommerce.js';

export interface OpenedSubject {
  readonly name: string;
  /** True for a shop of which only the address and a key are known. */
  readonly isByUrl: boolean;
  readonly open: () => Promise<StoreSubject>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The shop that STORE_KIND and STORE_URL name, or a sandbox of each kind. */
export function openedSubjects(env: Environment): readonly OpenedSubject[] {
  const { STORE_KIND: kind, STORE_URL: url = '' } = env;
  if (kind === undefined)
    return [
      { name: 'Shopify by exports', isByUrl: false, open: () => emulatedShopify('exports') },
      { name: 'WooCommerce', isByUrl: false, open: () => emulatedWooCommerce() },
      { name: 'Shopify by pages', isByUrl: false, open: () => emulatedShopify('pages') },
    ];
  return [{ name: `${kind} at ${url}`, isByUrl: true, open: () => subjectByUrl(kind, url, env) }];
}

async function subjectByUrl(kind: string, url: string, env: Environment): Promise<StoreSubject> {
  const publicUrl = env['STORE_RECEIVER_URL'];
  const port = Number(env['STORE_RECEIVER_PORT'] ?? '0');
  const receiver =
    publicUrl === undefined ? null : await Receiver.start({ publicUrl, port, host: '0.0.0.0' });
  const subject = (): StoreSubject => {
    if (kind === 'shopify')
      return shopifySubject(
        {
          shop: env['STORE_SHOP'] ?? new URL(url).hostname,
          url,
          accessToken: env['STORE_KEY'] ?? '',
          webhookSecret: env['STORE_SECRET'] ?? '',
        },
        receiver,
      );
    if (kind === 'woocommerce')
      return woocommerceSubject(
        {
          url,
          consumerKey: env['STORE_KEY'] ?? '',
          consumerSecret: env['STORE_SECRET'] ?? '',
          webhookSecret: randomBytes(16).toString('hex'),
        },
        receiver,
      );
    throw new Error(`${kind} is no kind of store`);
  };
  const opened = subject();
  return {
    ...opened,
    close: async () => {
      await opened.close();
      await receiver?.stop();
    },
  };
}
