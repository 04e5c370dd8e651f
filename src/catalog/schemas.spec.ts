import { describe, expect, it } from '@jest/globals';
import { deliverySchema, productSchema } from './schemas.js';

const delivery = {
  action: 'product_generated',
  status: 'SUCCESS',
  reason_for_failure: '',
  credits: { consumed: 1, remaining: 99.5 },
  task: {
    id: 'task-1',
    status: 'SUCCESS',
    created_at: '2026-03-01T12:00:00Z',
    updated_at: '2026-03-01T12:01:00Z',
    urls: [
      {
        id: 3,
        url: 'https://maker.example/p',
        status: 'SUCCESS',
        relevant_score: 0.8,
        is_user_provided_link: false,
      },
    ],
  },
  product: { id: 7, external_id: 'x', sections: [{ code: 'material', value: 'Cotton', rank: 1, list: [1] }] },
};

describe('deliverySchema', () => {
  it('[BODY-01] [BODY-02] [BODY-03] [BODY-04] [BODY-05] reads the documented body whole', () => {
    expect(deliverySchema.parse(delivery)).toEqual(delivery);
  });

  it('[BODY-06] [BODY-07] product may be null, the reason absent', () => {
    const { reason_for_failure: _absent, ...rest } = { ...delivery, product: null };
    expect(deliverySchema.parse(rest)).toEqual(rest);
  });

  it('keeps an event kind and fields that are not known, and takes a task id that is a number', () => {
    const body = { action: 'product_translated', extra: { a: 1 }, task: { id: 5, more: true } };
    expect(deliverySchema.parse(body)).toEqual({ ...body, task: { id: '5', more: true } });
  });

  it.each([null, [], 'x', {}, { action: 5 }, { action: '' }, { action: 'a', product: { id: 'x' } }])(
    'refuses %j',
    (body) => {
      expect(deliverySchema.safeParse(body).success).toBe(false);
    },
  );
});

describe('productSchema', () => {
  it('[PROD-22] needs nothing but an id, takes null for any field and variants at any depth', () => {
    const product = {
      id: 1,
      sku: null,
      images: null,
      sections: null,
      variants: [{ sku: 'a', variants: [{ id: 3, own: true }] }],
    };
    expect(productSchema.parse(product)).toEqual(product);
    expect(productSchema.parse({ id: '12' })).toEqual({ id: 12 });
    expect(productSchema.safeParse({ id: 'a-1' }).success).toBe(false);
    expect(productSchema.safeParse({ id: 2 ** 60 }).success).toBe(false);
  });
});
