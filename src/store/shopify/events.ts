import { z } from 'zod';
import type { EventFacts, EventHeaders, StoreEvents } from '../../domain/store-port.js';
import { hasSignatureForm, headerText, isEventSignature, jsonOf, NOBODYS_SECRET } from '../event-parts.js';

const SIGNATURE = 'x-shopify-hmac-sha256';
const TOPIC = 'x-shopify-topic';

const PRODUCT_ID = /^gid:\/\/shopify\/Product\/\d+$/;

const shopSchema = z.looseObject({ myshopify_domain: z.string() });
const productSchema = z.looseObject({
  admin_graphql_api_id: z.string().optional(),
  id: z.union([z.number().int().positive(), z.string().regex(/^\d+$/)]).optional(),
});

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

  /** The product that the body names, by the store's own id. A deletion contains only the numeric id. */
  products(rawBody: Uint8Array): readonly string[] {
    const { admin_graphql_api_id: gid, id } = productSchema.safeParse(jsonOf(rawBody)).data ?? {};
    if (gid !== undefined) return PRODUCT_ID.test(gid) ? [gid] : [];
    return id === undefined ? [] : [`gid://shopify/Product/${String(id)}`];
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
  return shopSchema.safeParse(jsonOf(rawBody)).data?.myshopify_domain;
}
