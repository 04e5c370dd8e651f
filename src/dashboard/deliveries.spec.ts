import { describe, expect, it } from '@jest/globals';
import { VISITOR } from '../../test/support/visitor.js';
import { deliveryBadge, deliveryPage } from './views/deliveries.js';

it.each([
  ['processed', 'product_generated', 'good'],
  ['processed', 'product_generation_failed', 'warn'],
  ['processed', 'product_generation_no_urls', 'warn'],
  ['received', 'product_generation_failed', 'busy'],
  ['parked', null, 'warn'],
  ['failed', 'product_generated', 'bad'],
] as const)(
  'the badge of a delivery of state %s and action %s is %s: a failed generation is no success',
  (state, action, tone) => {
    expect(String(deliveryBadge({ state, action }))).toBe(`<span class="badge ${tone}">${state}</span>`);
  },
);

describe('the page of a delivery', () => {
  const AT = '2026-11-22T10:00:00.000Z';
  const delivery = {
    ...({ id: 'one', workspace: 'default', via: 'webhook', state: 'processed', action: null } as const),
    ...{
      externalId: null,
      label: null,
      taskId: null,
      note: null,
      attempts: 1,
      receivedAt: AT,
      settledAt: AT,
    },
    ...{ headers: {}, body: null },
  };

  it.each([
    ['a short text', 4, 'text', false],
    ['the beginning of a long body', 2_000_000, 'text', true],
    ['JSON', 13, null, false],
  ])('of %s says whether there is more', (_what, bytes, text, hasMore) => {
    const page = deliveryPage(VISITOR, { ...delivery, bytes, text, body: { a: 'b' } });
    expect(page.includes('The rest is omitted here.')).toBe(hasMore);
  });
});
