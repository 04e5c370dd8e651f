import { describe, expect, it } from '@jest/globals';
import { snapshot } from '../../test/support/product-builders.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import { reasonOutOfScope } from './scope.js';

describe('the filter of a store', () => {
  it.each<[string, Partial<ProductSnapshot>, boolean, string | null]>([
    ['an active product', {}, false, null],
    ['a draft', { status: 'DRAFT' }, false, 'its status is draft'],
    ['a gift card', { isGiftCard: true }, false, 'it is a gift card'],
    ['a gift card where gift cards are wanted', { isGiftCard: true }, true, null],
    ['a drafted gift card', { status: 'DRAFT', isGiftCard: true }, true, 'its status is draft'],
  ])('says of %s whether it is left out', (_what, over, giftCards, reason) => {
    expect(reasonOutOfScope(snapshot(over), { status: ['ACTIVE'], giftCards })).toBe(reason);
  });
});
