import { randomBytes } from 'node:crypto';
import type { EventFacts, EventHeaders, StoreEvents } from '../../domain/store-port.js';
import { productIdOfEvent } from './product-event.js';
import { isUninstallOf } from './uninstall-event.js';
import { hasShopifySignatureForm, isShopifySignature } from './webhook-signature.js';

const SIGNATURE = 'x-shopify-hmac-sha256';
const TOPIC = 'x-shopify-topic';

/** Stands for the secret of a store that does not exist or has none, so that every signature is compared. */
const NOBODYS_SECRET = randomBytes(32).toString('hex');

/** The events of a shop. The signature covers the body alone. */
export class ShopifyEvents implements StoreEvents {
  constructor(
    private readonly shop: string | undefined,
    private readonly secret: string | undefined,
  ) {}

  mayVerify(headers: EventHeaders): boolean {
    return hasShopifySignatureForm(textOf(headers[SIGNATURE]));
  }

  verify(headers: EventHeaders, rawBody: Uint8Array): 'signed' | 'forged' {
    const signature = textOf(headers[SIGNATURE]);
    return isShopifySignature(rawBody, signature, [this.secret ?? NOBODYS_SECRET]) ? 'signed' : 'forged';
  }

  products(rawBody: Uint8Array): readonly string[] {
    const id = productIdOfEvent(rawBody);
    return id === null ? [] : [id];
  }

  about(headers: EventHeaders, rawBody: Uint8Array): EventFacts {
    const topic = textOf(headers[TOPIC]);
    return {
      topic: topic === '' ? 'unknown' : topic,
      uninstalls: this.shop !== undefined && isUninstallOf(this.shop, topic, rawBody),
    };
  }
}

/** A header that stands twice counts as none. */
function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : '';
}
