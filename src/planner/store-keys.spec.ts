import { describe, expect, it } from '@jest/globals';
import { planStoreKeys, type ConfiguredStore, type KeptStore } from './store-keys.js';

const A = 'shopify:a.myshopify.com';
const B = 'shopify:b.myshopify.com';
const NOTHING = { added: [], renamed: [], moved: [] };

describe('the keys of stores', () => {
  it.each<[string, ConfiguredStore[], KeptStore[], object]>([
    [
      'that are as they were need nothing',
      [{ key: 'a', identity: A }],
      [{ store: 'a', identity: A }],
      NOTHING,
    ],
    [
      'of a new shop are noted',
      [{ key: 'a', identity: A }],
      [],
      { ...NOTHING, added: [{ store: 'a', identity: A }] },
    ],
    ['of a removed shop are kept', [], [{ store: 'a', identity: A }], NOTHING],
    [
      'that are new for a known shop rename it',
      [{ key: 'north', identity: A }],
      [{ store: 'a', identity: A }],
      { ...NOTHING, renamed: [{ from: 'a', to: 'north', identity: A }] },
    ],
    [
      'may be renamed beside a new shop',
      [
        { key: 'north', identity: A },
        { key: 'b', identity: B },
      ],
      [{ store: 'a', identity: A }],
      {
        ...NOTHING,
        added: [{ store: 'b', identity: B }],
        renamed: [{ from: 'a', to: 'north', identity: A }],
      },
    ],
    [
      'of a shop that says itself which one it is follow it to another address',
      [{ key: 'a', identity: B, mayMove: true }],
      [{ store: 'a', identity: A }],
      { ...NOTHING, moved: [{ store: 'a', identity: B }] },
    ],
  ])('%s', (_title, configured, kept, expected) => {
    expect(planStoreKeys(configured, kept)).toEqual(expected);
  });

  it.each<[string, ConfiguredStore[], KeptStore[]]>([
    ['names another shop', [{ key: 'a', identity: B }], [{ store: 'a', identity: A }]],
    [
      'was given to a new shop while its own got another key',
      [
        { key: 'north', identity: A },
        { key: 'a', identity: B },
      ],
      [{ store: 'a', identity: A }],
    ],
    [
      'was exchanged with another',
      [
        { key: 'a', identity: B },
        { key: 'b', identity: A },
      ],
      [
        { store: 'a', identity: A },
        { store: 'b', identity: B },
      ],
    ],
    [
      'has the address that another shop left',
      [
        { key: 'a', identity: B, mayMove: true },
        { key: 'b', identity: A, mayMove: true },
      ],
      [{ store: 'a', identity: A }],
    ],
  ])('are refused where one %s', (_title, configured, kept) => {
    expect(planStoreKeys(configured, kept)).toEqual({
      refused: `stores.a holds the rows of ${A} and cannot serve ${B}. Use another key for it`,
    });
  });
});
