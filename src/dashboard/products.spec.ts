import { describe, expect, it } from '@jest/globals';
import type { ListedProduct } from '../operations/products.js';
import type { PresentedWithheld } from '../operations/withheld.js';
import { VISITOR } from '../../test/support/visitor.js';
import { productPage } from './views/product.js';
import { productsPage } from './views/products.js';

const AT = '2026-11-22T10:00:00.000Z';

function withheld(kind: 'sku' | 'barcode', products: string[]): PresentedWithheld {
  const holder = {
    ...{ whose: 'this_store' as const, who: 'another product', externalIds: [], catalogId: null },
    products,
  };
  const reason = `${kind} A is also used by y`;
  return { kind, value: 'A', owner: 'o', reason, remedy: 'r', holder };
}

function listed(...held: PresentedWithheld[]): string {
  return listedAs({}, held);
}

function listedAs(over: Partial<ListedProduct>, held: PresentedWithheld[] = []): string {
  const product: ListedProduct = {
    ...{ externalId: 'shopify:one:1', store: 'main', workspace: 'default', label: 'Lamp', handle: 'lamp' },
    ...{ state: 'conflicted', catalogId: '7', generationDue: false, firstSeenAt: AT, lastSeenAt: AT },
    standing: `in step; withheld from the catalog: ${held.map(({ reason }) => reason).join('; ')}`,
    ...{ withheld: held, stands: 'shared' as const, review: null },
    ...over,
  };
  const view = {
    given: {},
    counts: {},
    stores: ['main'],
    images: new Map<string, string>(),
    titles: new Map([['shopify:one:2', 'Lamp, blue']]),
  };
  return productsPage(VISITOR, { items: [product], total: 1, limit: 50, offset: 0 }, view);
}

it('does not say of a product whose last change was refused that the catalog lacks it', () => {
  const page = listedAs({
    stands: 'not_sent',
    standing: 'its last change did not reach the catalog: refused',
  });
  expect(page).toContain('<span class="badge bad">Not sent</span>');
  expect(page).not.toContain('Not in the catalog');
});

it('a conflicted product on its page names the other one by its title', () => {
  const other = 'shopify:one.myshopify.com:2';
  const entry = { at: AT, kind: 'identity' as const, what: 'SKU A withheld', id: 'run' };
  const page = productPage(VISITOR, {
    product: {
      ...{
        externalId: 'shopify:one.myshopify.com:1',
        label: 'Lamp',
        store: 'main',
        link: null,
        review: null,
      },
      ...{
        stands: 'live' as const,
        standing: `written; withheld from the catalog: SKU A is used by ${other}`,
      },
      timeline: [{ ...entry, reason: `SKU A is used by ${other}` }],
    },
    ...{ image: undefined, live: null, adminUrl: null, titles: new Map([[other, 'Lamp, blue']]) },
  });
  expect(page).toContain('>Lamp, blue</a>');
  expect(page).not.toContain(`used by ${other}`);
});

describe('a conflicted product in the list', () => {
  it('has each reason once, with the title of the product that has the identifier too, and what helps', () => {
    const page = listed(withheld('sku', ['shopify:one:2']), withheld('barcode', ['shopify:one:2']));
    expect(page.match(/SKU A is shared/g)).toHaveLength(1);
    expect(page.match(/The barcode A is shared/g)).toHaveLength(1);
    expect(page).toContain('<a href="/products/shopify%3Aone%3A2">Lamp, blue</a>');
    expect(page).toContain('<span class="badge warn">Shared SKU</span>');
  });

  it('has no empty list of holders when the holder is not ours', () => {
    expect(listed(withheld('sku', []))).not.toContain('is on another product:');
  });
});
