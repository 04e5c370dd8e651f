import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  SIGNATURE_REFUSED,
  verifyWebhookSignature,
  type SignatureRules,
  type SignedDelivery,
} from './webhook-signature.js';

const now = new Date('2026-03-01T12:00:00Z');
const nowSeconds = now.getTime() / 1000;
const body = Buffer.from('{"action": "product_generated",  "n": 1.0}');
const secret = 'webhook-secret';
const rules: SignatureRules = { secrets: [secret], now, toleranceSeconds: 1200 };

function signed(at: number | string, key = secret, bytes: Uint8Array = body): SignedDelivery {
  const timestamp = String(at);
  const hex = createHmac('sha256', key).update(`${timestamp}.`).update(bytes).digest('hex');
  return { rawBody: bytes, timestamp, signature: `sha256=${hex}` };
}

describe('verifyWebhookSignature', () => {
  it('[SIGN-01] [SIGN-02] accepts HMAC-SHA256 over timestamp, dot and raw body', () => {
    expect(verifyWebhookSignature(signed(nowSeconds - 5), rules)).toEqual({
      ok: true,
      secretIndex: 0,
      sentAt: new Date((nowSeconds - 5) * 1000),
    });
  });

  it('[SIGN-02] agrees with a digest worked out elsewhere', () => {
    // printf '1700000000.{}' | openssl dgst -sha256 -hmac k
    const hex = 'c6ef4734033cee2367414a0939385eca0397754aa7a59716da7463a9298b5146';
    const delivery = { rawBody: Buffer.from('{}'), timestamp: '1700000000', signature: `sha256=${hex}` };
    const at = new Date(1_700_000_000_000);
    expect(verifyWebhookSignature(delivery, { secrets: ['k'], now: at, toleranceSeconds: 0 })).toMatchObject({
      ok: true,
    });
  });

  it('[SIGN-04] the same body serialised otherwise does not verify', () => {
    const again = Buffer.from(JSON.stringify(JSON.parse(body.toString())));
    expect(verifyWebhookSignature({ ...signed(nowSeconds), rawBody: again }, rules)).toEqual({
      ok: false,
      reason: 'mismatch',
    });
  });

  it('verifies bodies of any bytes, and no body with one bit flipped', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), (bytes, at) => {
        const delivery = signed(nowSeconds, secret, bytes);
        expect(verifyWebhookSignature(delivery, rules).ok).toBe(true);
        const flipped = Uint8Array.from(bytes);
        const place = at % bytes.length;
        flipped[place] = (flipped[place] ?? 0) ^ 1;
        expect(verifyWebhookSignature({ ...delivery, rawBody: flipped }, rules).ok).toBe(false);
      }),
    );
  });

  it('accepts both secrets while a rotation lasts, and says which it was', () => {
    const both = { ...rules, secrets: ['new-secret', secret] };
    expect(verifyWebhookSignature(signed(nowSeconds, 'new-secret'), both)).toMatchObject({ secretIndex: 0 });
    expect(verifyWebhookSignature(signed(nowSeconds), both)).toMatchObject({ ok: true, secretIndex: 1 });
    expect(verifyWebhookSignature(signed(nowSeconds, 'third'), both)).toEqual({
      ok: false,
      reason: 'mismatch',
    });
  });

  it('an empty secret is none: nothing signed with it passes', () => {
    const forged = signed(nowSeconds, '');
    expect(verifyWebhookSignature(forged, { ...rules, secrets: [''] })).toEqual({
      ok: false,
      reason: 'no_secret',
    });
    expect(verifyWebhookSignature(forged, { ...rules, secrets: ['', secret] })).toEqual({
      ok: false,
      reason: 'mismatch',
    });
    expect(verifyWebhookSignature(signed(nowSeconds), { ...rules, secrets: ['', secret] })).toMatchObject({
      secretIndex: 1,
    });
  });

  it.each([
    ['20 minutes old', -1200, undefined],
    ['older than 20 minutes', -1201, 'stale'],
    ['5 minutes ahead', 300, undefined],
    ['more than 5 minutes ahead', 301, 'ahead'],
  ])('a genuine delivery %s', (_name, offset, reason) => {
    const result = verifyWebhookSignature(signed(nowSeconds + offset), rules);
    expect(result).toMatchObject(reason === undefined ? { ok: true } : { ok: false, reason });
  });

  it('the retry that carries the first attempt’s timestamp, ten minutes late, passes', () => {
    expect(verifyWebhookSignature(signed(nowSeconds - 611), rules).ok).toBe(true);
  });

  it.each(['', ' 1', '1.5', '-1', '1e9', '0x10', '１２３', '9'.repeat(13), '1772366400\n'])(
    'the timestamp %j is malformed, however well it is signed',
    (timestamp) => {
      expect(verifyWebhookSignature(signed(timestamp), rules)).toEqual({
        ok: false,
        reason: 'malformed_timestamp',
      });
    },
  );

  const good = String(signed(nowSeconds).signature);
  it.each([
    '',
    'sha256=',
    good.slice(7),
    good.toUpperCase(),
    `sha1=${good.slice(7)}`,
    `${good}00`,
    `x${good}`,
    ` ${good}`,
    `sha1=0, ${good}`,
    `${good}\n`,
    good.slice(0, -1),
    `sha256=${'g'.repeat(64)}`,
  ])('the signature %j is malformed', (signature) => {
    const result = verifyWebhookSignature({ ...signed(nowSeconds), signature }, rules);
    expect(result).toEqual({ ok: false, reason: 'malformed_signature' });
  });

  it('a missing header is missing, and a repeated one is refused', () => {
    const delivery = signed(nowSeconds);
    expect(verifyWebhookSignature({ ...delivery, signature: undefined }, rules)).toEqual({
      ok: false,
      reason: 'missing',
    });
    expect(verifyWebhookSignature({ ...delivery, timestamp: undefined }, rules)).toEqual({
      ok: false,
      reason: 'missing',
    });
    expect(verifyWebhookSignature({ ...delivery, timestamp: [String(nowSeconds)] }, rules).ok).toBe(false);
    expect(verifyWebhookSignature({ ...delivery, signature: [good, good] }, rules).ok).toBe(false);
    expect(verifyWebhookSignature({ ...delivery, signature: [good] }, rules).ok).toBe(false);
  });

  it('a refusal says nothing of which check failed', () => {
    expect(SIGNATURE_REFUSED).toBe('signature missing, wrong or too old');
  });
});
