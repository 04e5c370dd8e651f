import { describe, expect, it } from '@jest/globals';
import { HOLDER_WORDS, HOLDERS, REMEDIES, type IdentifierHolder } from '../domain/withheld-identifier.js';
import { presentWithheld } from './withheld.js';

const OURS = 'shopify:a.myshopify.com:2';
const identifier = { kind: 'sku' as const, value: 'A', owner: 'shopify:a.myshopify.com:1', reason: 'shared' };
const held = (holder: Partial<IdentifierHolder>) =>
  presentWithheld({
    ...identifier,
    holder: { whose: 'this_store', externalIds: [], catalogId: null, ...holder },
  });

describe('a withheld identifier', () => {
  it.each(HOLDERS)('held by %s is shown with the remedy of the case', (whose) => {
    expect(held({ whose, catalogId: '9' })).toMatchObject({
      ...identifier,
      remedy: REMEDIES[whose],
      holder: { whose, who: HOLDER_WORDS[whose], catalogId: '9' },
    });
  });

  it('links the products of ours that have it, each once, also by their variants', () => {
    const externalIds = [OURS, `${OURS}:5`, 'erp:1'];
    expect(held({ externalIds }).holder).toEqual({
      whose: 'this_store',
      who: HOLDER_WORDS.this_store,
      externalIds,
      catalogId: null,
      products: [OURS],
    });
    expect(held({ whose: 'orphan', externalIds: [OURS] }).holder.products).toEqual([OURS]);
  });

  it.each(['foreign', 'unclaimed'] as const)('of a %s product links none', (whose) => {
    expect(held({ whose, externalIds: [OURS] }).holder.products).toEqual([]);
  });
});
