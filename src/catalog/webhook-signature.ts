import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;
const TIMESTAMP = /^\d{1,12}$/;
/** The sender's clock may be ahead of ours by this much. */
export const AHEAD_SECONDS = 300;

/** The HTTP answer to every refusal. Only our log says which check failed. */
export const SIGNATURE_REFUSED = 'signature missing, wrong or too old';

/** The HTTP answer to a delivery for a workspace that is not configured. */
export const NO_SUCH_WORKSPACE = 'no such workspace';

export interface SignedDelivery {
  /** The raw body. A re-serialised body does not verify. */
  readonly rawBody: Uint8Array;
  /** X-Webhook-Timestamp and X-Webhook-Signature, as Node returns headers. A repeated header is refused. */
  readonly timestamp: string | readonly string[] | undefined;
  readonly signature: string | readonly string[] | undefined;
}

export interface SignatureRules {
  /** The present secret and, during a rotation, the previous one. Empty ones are ignored. */
  readonly secrets: readonly string[];
  readonly now: Date;
  /** The maximum age. A retry may have the first attempt's timestamp, ten minutes earlier. */
  readonly toleranceSeconds: number;
}

export type SignatureResult =
  | { readonly ok: true; readonly secretIndex: number; readonly sentAt: Date }
  | { readonly ok: false; readonly reason: SignatureFailure };

export type SignatureFailure =
  'no_secret' | 'missing' | 'malformed_timestamp' | 'malformed_signature' | 'mismatch' | 'stale' | 'ahead';

export type SignatureClaim =
  | { readonly ok: true; readonly timestamp: string; readonly hex: string }
  | { readonly ok: false; readonly reason: SignatureFailure };

/**
 * Checks a delivery's signature (docs/catalog-rules.md, SIGN-02). `secretIndex` is the index in `secrets`. The digest
 * is compared in constant time, before the timestamp, so `stale` and `ahead` are only reported for genuine
 * deliveries.
 */
export function verifyWebhookSignature(delivery: SignedDelivery, rules: SignatureRules): SignatureResult {
  const secrets = rules.secrets
    .map((secret, index) => ({ secret, index }))
    .filter(({ secret }) => secret !== '');
  if (secrets.length === 0) return { ok: false, reason: 'no_secret' };
  const claim = readSignatureClaim(delivery);
  if (!claim.ok) return claim;
  const { timestamp } = claim;

  const given = Buffer.from(claim.hex, 'hex');
  // Every secret is tried, so that the duration does not reveal which one matched.
  const fitting = secrets.filter(({ secret }) =>
    timingSafeEqual(digest(secret, timestamp, delivery.rawBody), given),
  );
  const [match] = fitting;
  if (match === undefined) return { ok: false, reason: 'mismatch' };

  const ageSeconds = Math.floor(rules.now.getTime() / 1000) - Number(timestamp);
  if (ageSeconds > rules.toleranceSeconds) return { ok: false, reason: 'stale' };
  if (ageSeconds < -AHEAD_SECONDS) return { ok: false, reason: 'ahead' };
  return { ok: true, secretIndex: match.index, sentAt: new Date(Number(timestamp) * 1000) };
}

/**
 * Reads the two headers of a delivery before its body. Malformed headers are refused without reading the body. A
 * well-formed claim proves nothing yet.
 */
export function readSignatureClaim(headers: Pick<SignedDelivery, 'timestamp' | 'signature'>): SignatureClaim {
  const { timestamp, signature } = headers;
  if (timestamp === undefined || signature === undefined) return { ok: false, reason: 'missing' };
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp))
    return { ok: false, reason: 'malformed_timestamp' };
  const hex = typeof signature === 'string' ? SIGNATURE.exec(signature)?.[1] : undefined;
  return hex === undefined ? { ok: false, reason: 'malformed_signature' } : { ok: true, timestamp, hex };
}

/** The headers of a delivery of our own, signed in the same way, for receivers that check it by the same rules. */
export function signWebhook(secret: string, body: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const hex = digest(secret, timestamp, Buffer.from(body)).toString('hex');
  return { 'X-Webhook-Timestamp': timestamp, 'X-Webhook-Signature': `sha256=${hex}` };
}

function digest(secret: string, timestamp: string, rawBody: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
}
