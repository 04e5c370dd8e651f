import { expect, it } from '@jest/globals';
import { snapshot } from '../../test/support/product-builders.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import { reasonOutOfScope } from './scope.js';

it.each<[string, Partial<ProductSnapshot>, string | null]>([
  ['an active product', {}, null],
  ['a draft', { status: 'DRAFT' }, 'its status is draft'],
  ['a gift card', { isGiftCard: true }, 'it is a gift card'],
])('the filter of a store says of %s whether it is left out', (_what, over, reason) => {
  expect(reasonOutOfScope(snapshot(over), { status: ['ACTIVE'] })).toBe(reason);
});
