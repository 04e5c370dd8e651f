import { describe, expect, it } from '@jest/globals';
import { planStoreKeys, type ConfiguredStore, type KeptStore } from './store-keys.js';

const A = 'shopify:a.myshopify.com';
const B = 'shopify:b.myshopify.com';
const NOTHING = { added: [], renamed: [], moved: [] };

const configured = (key: string, identity: string, mayMove?: true): ConfiguredStore =>
  mayMove === undefined ? { key, identity } : { key, identity, mayMove };
const kept = (store: string, identity: string): KeptStore => ({ store, identity });

describe('the keys of stores', () => {
  const renamed = [{ from: 'a', to: 'north', identity: A }];

  it.each<[string, ConfiguredStore[], KeptStore[], object]>([
    ['that are as they were need nothing', [configured('a', A)], [kept('a', A)], {}],
    ['of a new shop are noted', [configured('a', A)], [], { added: [kept('a', A)] }],
    ['of a removed shop are kept', [], [kept('a', A)], {}],
    ['that are new for a known shop rename it', [configured('north', A)], [kept('a', A)], { renamed }],
    [
      'may be renamed beside a new shop',
      [configured('north', A), configured('b', B)],
      [kept('a', A)],
      { added: [kept('b', B)], renamed },
    ],
    [
      'of a shop that says itself which one it is follow it to another address',
      [configured('a', B, true)],
      [kept('a', A)],
      { moved: [kept('a', B)] },
    ],
  ])('%s', (_title, stores, rows, expected) => {
    expect(planStoreKeys(stores, rows)).toEqual({ ...NOTHING, ...expected });
  });

  it.each<[string, ConfiguredStore[], KeptStore[]]>([
    ['names another shop', [configured('a', B)], [kept('a', A)]],
    ['was given to a new shop', [configured('north', A), configured('a', B)], [kept('a', A)]],
    ['was exchanged with another', [configured('a', B), configured('b', A)], [kept('a', A), kept('b', B)]],
    ['has another’s former address', [configured('a', B, true), configured('b', A, true)], [kept('a', A)]],
  ])('are refused where one %s', (_title, stores, rows) => {
    expect(planStoreKeys(stores, rows)).toEqual({
      refused: `stores.a holds the rows of ${A} and cannot serve ${B}. Use another key for it`,
    });
  });
});
