import { z } from 'zod';
import type { EventFacts, EventHeaders, StoreEvents } from '../../domain/store-port.js';
import { hasSignatureForm, headerText, isEventSignature, jsonOf, NOBODYS_SECRET } from '../event-parts.js';

const SIGNATURE = 'x-wc-webhook-signature';
const TOPIC = 'x-wc-webhook-topic';
const FORM = 'application/x-www-form-urlencoded';
const GREETING = /^webhook_id=\d+$/;
/** What comes without a signature and is longer is refused before its body is read. */
const GREETING_BYTES = 64;

const productSchema = z.looseObject({
  id: z.int().positive(),
  parent_id: z.int().nonnegative().optional().catch(undefined),
  type: z.string().optional().catch(undefined),
});

/**
 * The webhooks of a shop. They carry no signed time, so that a captured one can be sent again for ever: an event is a hint to read the
 * product. Its body has the state at delivery, or an error of a product that was deleted meanwhile, which names none.
 */
export class WooEvents implements StoreEvents {
  constructor(private readonly secret: string | undefined) {}

  mayVerify(headers: EventHeaders): boolean {
    return hasSignatureForm(headerText(headers, SIGNATURE)) || isGreeting(headers);
  }

  /** The shop greets an address that it is given, without a signature, and takes any answer but an error. */
  verify(headers: EventHeaders, rawBody: Uint8Array): 'signed' | 'greeting' | 'forged' {
    if (isGreeting(headers)) return GREETING.test(Buffer.from(rawBody).toString()) ? 'greeting' : 'forged';
    const signature = headerText(headers, SIGNATURE);
    return isEventSignature(rawBody, signature, [this.secret ?? NOBODYS_SECRET]) ? 'signed' : 'forged';
  }

  /** A variation's event names the product that it belongs to. */
  products(rawBody: Uint8Array): readonly string[] {
    // A signed body without JSON names no product. The next run still reads the changes.
    const product = productSchema.safeParse(jsonOf(rawBody));
    if (!product.success) return [];
    const { id, type, parent_id: parent = 0 } = product.data;
    return [String(type === 'variation' && parent > 0 ? parent : id)];
  }

  about(headers: EventHeaders): EventFacts {
    const topic = headerText(headers, TOPIC);
    return { topic: topic === '' ? 'unknown' : topic, uninstalls: false };
  }
}

function isGreeting(headers: EventHeaders): boolean {
  const type = headerText(headers, 'content-type');
  const isShort = Number(headerText(headers, 'content-length') || Number.NaN) <= GREETING_BYTES;
  return isShort && type.startsWith(FORM) && headers[SIGNATURE] === undefined && headers[TOPIC] === undefined;
}
