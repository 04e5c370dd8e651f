import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { WooEvents } from './events.js';

const SECRET = 'a secret of the operator';
const events = new WooEvents(SECRET);
const bytes = (body: unknown): Buffer => Buffer.from(JSON.stringify(body));
const signed = (body: Buffer, secret = SECRET) => ({
  'x-wc-webhook-topic': 'product.updated',
  'x-wc-webhook-signature': createHmac('sha256', secret).update(body).digest('base64'),
});

describe('an event of a WooCommerce shop', () => {
  it('is believed by its signature over the raw bytes', () => {
    const body = bytes({ id: 7 });
    expect(events.verify(signed(body), body)).toBe('signed');
    expect(events.verify(signed(body, 'another'), body)).toBe('forged');
    expect(events.verify(signed(body), bytes({ id: 8 }))).toBe('forged');
    expect(new WooEvents(undefined).verify(signed(body, ''), body)).toBe('forged');
    expect(events.mayVerify({ 'x-wc-webhook-signature': 'short' })).toBe(false);
  });

  it('may be the greeting of a new webhook, which has no signature and says nothing', () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '12' };
    expect(events.mayVerify({ ...headers, 'content-length': '9900000' })).toBe(false);
    expect(events.mayVerify(headers)).toBe(true);
    expect(events.verify(headers, Buffer.from('webhook_id=1'))).toBe('greeting');
    expect(events.verify(headers, Buffer.from('id=1'))).toBe('forged');
  });

  it.each([
    ['a product', { id: 7, type: 'simple' }, ['7']],
    ['a variation, by its product', { id: 9, type: 'variation', parent_id: 7 }, ['7']],
    ['a deletion', { id: 7 }, ['7']],
    ['a product that is gone', { code: 'woocommerce_rest_product_invalid_id', data: { status: 404 } }, []],
  ])('names %s', (_what, body, products) => {
    expect(events.products(bytes(body))).toEqual(products);
  });
});
