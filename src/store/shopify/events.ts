import { z } from 'zod';
import type { EventFacts, EventHeaders, StoreEvents } from '../../domain/store-port.js';
import { readUntrustedJson } from '../../runtime/untrusted-json.js';
import { hasSignatureForm, headerText, isEventSignature, NOBODYS_SECRET } from '../event-signature.js';
import { productIdOfEvent } from './product-event.js';

const SIGNATURE = 'x-shopify-hmac-sha256';
const TOPIC = 'x-shopify-topic';

const shopSchema = z.looseObject({ myshopify_domain: z.string() });

/** The events of a shop. The signature covers the body alone. */
export class ShopifyEvents implements StoreEvents {
  constructor(
    private readonly shop: string | undefined,
    private readonly secret: string | undefined,
  ) {}

  mayVerify(headers: EventHeaders): boolean {
    return hasSignatureForm(headerText(headers, SIGNATURE));
  }

  verify(headers: EventHeaders, rawBody: Uint8Array): 'signed' | 'forged' {
    const signature = headerText(headers, SIGNATURE);
    return isEventSignature(rawBody, signature, [this.secret ?? NOBODYS_SECRET]) ? 'signed' : 'forged';
  }

  products(rawBody: Uint8Array): readonly string[] {
    const id = productIdOfEvent(rawBody);
    return id === null ? [] : [id];
  }

  /**
   * The topic is not signed, so the body of an uninstallation has to name the shop as well, which the bodies of product events do not.
   */
  about(headers: EventHeaders, rawBody: Uint8Array): EventFacts {
    const topic = headerText(headers, TOPIC);
    return {
      topic: topic === '' ? 'unknown' : topic,
      uninstalls: topic === 'app/uninstalled' && this.shop !== undefined && this.shop === shopIn(rawBody),
    };
  }
}

function shopIn(rawBody: Uint8Array): string | undefined {
  const read = readUntrustedJson(rawBody);
  return shopSchema.safeParse(read.ok ? read.value : null).data?.myshopify_domain;
}
