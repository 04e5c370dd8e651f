import { createHmac } from 'node:crypto';

/** Headers of a genuine delivery (docs/catalog-rules.md#signature). `at`: a moment, or the text that the timestamp is sent as. */
export function signed(
  body: string | Uint8Array,
  secret: string,
  at: Date | string = new Date(),
): Record<string, string> {
  const timestamp = typeof at === 'string' ? at : String(Math.floor(at.getTime() / 1000));
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return {
    'content-type': 'application/json',
    'x-webhook-timestamp': timestamp,
    'x-webhook-signature': `sha256=${digest}`,
  };
}
