import { createHmac } from 'node:crypto';

/**
 * The two headers of a signed delivery (docs/catalog-rules.md#signature): HMAC-SHA256 of the timestamp, a dot and the raw body, keyed with
 * the secret.
 */
export function signatureHeaders(
  secret: string,
  timestampSeconds: number,
  body: string,
): Record<string, string> {
  const timestamp = String(timestampSeconds);
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`, 'utf8').digest('hex');
  return { 'X-Webhook-Timestamp': timestamp, 'X-Webhook-Signature': `sha256=${digest}` };
}
