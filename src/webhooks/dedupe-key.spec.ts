import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dedupeKey } from './dedupe-key.js';

function bytes(body: unknown): Buffer {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function sha256(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

const delivery = {
  action: 'product_generated',
  status: 'SUCCESS',
  task: { id: 't-1', status: 'SUCCESS', urls: [] },
  product: { id: 7, name: 'Bottle' },
};

describe('dedupeKey', () => {
  it('is action, product id and task id', () => {
    expect(dedupeKey(bytes(delivery))).toEqual({
      key: 'product_generated:7:t-1',
      action: 'product_generated',
    });
  });

  it('is the same for a retry, however its other contents or its spelling differ', () => {
    const later = { ...delivery, credits: { consumed: 1, remaining: 9 }, task: { id: 't-1', status: 'X' } };
    expect(dedupeKey(bytes(later)).key).toBe(dedupeKey(bytes(delivery)).key);
    expect(dedupeKey(bytes(JSON.stringify(delivery, null, 2))).key).toBe(dedupeKey(bytes(delivery)).key);
  });

  it('treats an id as the same, whether it is a number or a text', () => {
    const spelt = { ...delivery, product: { id: '7' } };
    expect(dedupeKey(bytes(spelt)).key).toBe('product_generated:7:t-1');
    expect(dedupeKey(bytes({ ...delivery, task: { id: 12 } })).key).toBe('product_generated:7:12');
  });

  it.each([
    ['action', { ...delivery, action: 'product_generation_failed' }],
    ['product', { ...delivery, product: { id: 8 } }],
    ['task', { ...delivery, task: { id: 't-2' } }],
  ])('distinguishes deliveries of another %s', (_what, other) => {
    expect(dedupeKey(bytes(other)).key).not.toBe(dedupeKey(bytes(delivery)).key);
  });

  it.each<[string, unknown]>([
    ['no product', { ...delivery, product: null }],
    ['a product without an id', { ...delivery, product: { name: 'Bottle' } }],
    ['an empty product id', { ...delivery, product: { id: '' } }],
    ['a product id that is none', { ...delivery, product: { id: [7] } }],
    ['no task', { action: delivery.action, product: delivery.product }],
    ['an empty task id', { ...delivery, task: { id: '' } }],
  ])('with %s is the body’s hash, and the action is still known', (_what, body) => {
    expect(dedupeKey(bytes(body))).toEqual({ key: sha256(bytes(body)), action: 'product_generated' });
  });

  it.each<[string, unknown]>([
    ['no action', { task: delivery.task, product: delivery.product }],
    ['an empty action', { ...delivery, action: '' }],
    ['an action that is no text', { ...delivery, action: 1 }],
    ['broken JSON', '{"action": "product_generated"'],
    ['a list', []],
    ['a bare text', '"product_generated"'],
    ['nothing', ''],
  ])('of a body with %s is its hash, without an action', (_what, body) => {
    expect(dedupeKey(bytes(body))).toEqual({ key: sha256(bytes(body)), action: null });
  });

  it('of a body that is no UTF-8 is its hash', () => {
    const broken = Buffer.concat([bytes(delivery), Buffer.from([0xff])]);
    expect(dedupeKey(broken)).toEqual({ key: sha256(broken), action: null });
  });

  it('longer than 500 characters is hashed, and still distinguishes deliveries', () => {
    const prefix = 'product_generated:7:'.length;
    const fitting = { ...delivery, task: { id: 'x'.repeat(500 - prefix) } };
    expect(dedupeKey(bytes(fitting)).key).toBe(`product_generated:7:${'x'.repeat(500 - prefix)}`);
    const long = 'x'.repeat(501 - prefix);
    expect(dedupeKey(bytes({ ...delivery, task: { id: long } })).key).toBe(
      sha256(`product_generated:7:${long}`),
    );
  });

  it('names an action of up to 200 characters', () => {
    const action = 'a'.repeat(200);
    expect(dedupeKey(bytes({ ...delivery, action })).action).toBe(action);
    expect(dedupeKey(bytes({ ...delivery, action: `${action}a` })).action).toBeNull();
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.json().map(bytes)), (body) => {
        expect(dedupeKey(body).key.length).toBeLessThanOrEqual(500);
      }),
    );
  });
});
