import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;
const TIMESTAMP = /^\d{1,12}$/;
/** A sender's clock may run ahead of ours by this much. */
export const AHEAD_SECONDS = 300;

/** The HTTP answer to every refusal. Only our log says which check failed. */
export const SIGNATURE_REFUSED = 'signature missing, wrong or too old';

export interface SignedDelivery {
  /** The body exactly as it came; a re-serialised one does not verify. */
  readonly rawBody: Uint8Array;
  /** X-Webhook-Timestamp and X-Webhook-Signature, as Node gives headers: a repeated one is refused. */
  readonly timestamp: string | readonly string[] | undefined;
  readonly signature: string | readonly string[] | undefined;
}

export interface SignatureRules {
  /** The secret in use, and the previous one while a rotation lasts. Empty ones are ignored. */
  readonly secrets: readonly string[];
  readonly now: Date;
  /** How old a delivery may be. A retry may carry the first attempt's timestamp, ten minutes late. */
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
 * Checks a delivery's signature (docs/catalog-rules.md#signature: HMAC-SHA256 over timestamp, dot, raw body). `secretIndex` is the
 * secret's place in `secrets`. The digest is compared in constant time and before the time window, so that `stale` and
 * `ahead` are only ever said of a delivery that is genuine.
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
  // Every secret is tried, whichever fits: the time taken does not tell which.
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
 * The two headers of a delivery, read before its body is: a delivery whose headers have another form is refused unread. A
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

function digest(secret: string, timestamp: string, rawBody: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
}
