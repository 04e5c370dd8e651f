import { z } from 'zod';

const TOPIC = 'app/uninstalled';
const shopSchema = z.looseObject({ myshopify_domain: z.string() });

/**
 * True when the event says that this shop uninstalled the app. The topic is not signed, so the signed body has to name the
 * shop as well, which the bodies of product events do not.
 */
export function isUninstallOf(shop: string, topic: string, rawBody: Uint8Array): boolean {
  if (topic !== TOPIC) return false;
  try {
    const body = shopSchema.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody)));
    return body.success && body.data.myshopify_domain === shop;
  } catch {
    // A body that is not JSON names no shop.
    return false;
  }
}
