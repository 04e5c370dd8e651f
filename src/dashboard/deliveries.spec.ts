import { expect, it } from '@jest/globals';
import { deliveryBadge } from './views/deliveries.js';

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
