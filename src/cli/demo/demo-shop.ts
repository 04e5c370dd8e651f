import { randomBytes } from 'node:crypto';
import { metafieldName } from '../../domain/metafield-key.js';
import { startStoreSandbox, type ImportedProduct, type SandboxProduct } from '../../sandbox/store/index.js';
import { startWooCommerceSandbox, type Post } from '../../sandbox/woocommerce/index.js';
import { isSynchronised } from './demo-products.js';

/** A product of the demo's shop, as the report shows it. */
export interface DemoProduct {
  readonly id: string;
  readonly externalId: string;
  readonly handle: string;
  readonly title: string;
  readonly descriptionHtml: string;
  /** How many further values it has: metafields, or meta data. */
  readonly values: number;
  /** Why the demo does not synchronise it, such as `draft`; null when it does. */
  readonly leftAlone: string | null;
}

/** The store of the demo, of either kind. */
export interface DemoShop {
  readonly url: string;
  /** What the configuration says about it, beside the texts that are written back. */
  readonly settings: object;
  /** The target of generated keywords. */
  readonly keywords: string;
  products(): DemoProduct[];
  /** Requests that changed a product. */
  writes(): number;
  /** Changes with every request. */
  moved(): string;
  stop(): Promise<void>;
}

export const DEMO_KINDS = ['shopify', 'woocommerce'] as const;
export type DemoKind = (typeof DEMO_KINDS)[number];

export function openDemoShop(kind: DemoKind, products: readonly ImportedProduct[]): Promise<DemoShop> {
  return kind === 'shopify' ? openShopify(products) : openWooCommerce(products);
}

const SHOP = 'demo-store.myshopify.com';
/** The budget of a store in Shopify's largest plan: with the usual one, 9,000 products would take forty minutes. */
const LARGE_BUDGET = { capacity: 20_000, restoreRate: 1_000 };
/** A metafield that the demo’s merchant has defined. */
const KEYWORDS = { namespace: 'custom', key: 'keywords' };

async function openShopify(products: readonly ImportedProduct[]): Promise<DemoShop> {
  const accessToken = `shpat_${randomBytes(16).toString('hex')}`;
  const store = await startStoreSandbox({ shop: SHOP, accessToken, throttle: LARGE_BUDGET });
  store.state.define({
    ...KEYWORDS,
    ownerType: 'PRODUCT',
    name: 'Keywords',
    type: 'list.single_line_text_field',
    validations: [],
    pinned: false,
  });
  store.load(products.map((product) => drawnHere(product, store.url)));
  const { mutations } = store;
  return {
    url: store.url,
    settings: { kind: 'shopify', shop: SHOP, endpoint: store.url, auth: { accessToken } },
    keywords: metafieldName(KEYWORDS),
    products: () => store.state.products().map(ofShopify),
    writes: () =>
      mutations.filter(({ name }) => name !== 'bulkOperationRunQuery' && name !== 'webhookSubscriptionCreate')
        .length,
    moved: () => String(mutations.length),
    stop: () => store.stop(),
  };
}

/** The host of the built-in catalogue's pictures. It has none: the sandbox draws them, so that the demo's pages load nothing from outside. */
const PICTURES = 'https://images.example.com/';

function drawnHere(product: ImportedProduct, url: string): ImportedProduct {
  const here = (address: string): string => address.replaceAll(PICTURES, `${url}/pictures/`);
  return {
    ...product,
    descriptionHtml: here(product.descriptionHtml),
    images: product.images.map((image) => ({ ...image, url: here(image.url) })),
    variants: product.variants.map((variant) => ({
      ...variant,
      imageUrl: variant.imageUrl === null ? null : here(variant.imageUrl),
    })),
  };
}

function ofShopify(product: SandboxProduct): DemoProduct {
  const { id, handle, title, descriptionHtml, metafields, status, isGiftCard } = product;
  const leftAlone = isGiftCard ? 'a gift card' : status.toLowerCase();
  return {
    id: String(id),
    externalId: `shopify:${SHOP}:${id}`,
    handle,
    title,
    descriptionHtml,
    values: metafields.length,
    leftAlone: isSynchronised(product) ? null : leftAlone,
  };
}

async function openWooCommerce(products: readonly ImportedProduct[]): Promise<DemoShop> {
  const secret = (prefix: string): string => `${prefix}_${randomBytes(20).toString('hex')}`;
  const auth = { consumerKey: secret('ck'), consumerSecret: secret('cs') };
  let requests = 0;
  let writes = 0;
  const shop = await startWooCommerceSandbox({
    ...auth,
    around: async ({ method, path }, proceed) => {
      const reply = await proceed();
      requests += 1;
      // The question whether the key may write is a request that the shop refuses.
      if (method !== 'GET' && path.startsWith('wc/v3/products') && reply.status < 300) writes += 1;
      return reply;
    },
  });
  shop.load(products.map((product) => drawnHere(product, shop.url)));
  return {
    url: shop.url,
    settings: { kind: 'woocommerce', url: shop.url, auth },
    keywords: 'custom.keywords',
    products: () =>
      shop.shop
        .all()
        .filter(({ parentId }) => parentId === 0)
        .map((post) => ofWooCommerce(post, shop.shop.storeId ?? '')),
    writes: () => writes,
    moved: () => String(requests),
    stop: () => shop.stop(),
  };
}

function ofWooCommerce({ id, row, meta }: Post, storeId: string): DemoProduct {
  return {
    id: String(id),
    externalId: `woocommerce:${storeId}:${id}`,
    handle: row.slug,
    title: row.name,
    descriptionHtml: row.description,
    values: meta.length,
    leftAlone: row.status === 'publish' ? null : row.status,
  };
}
