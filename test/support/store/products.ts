/** Nodes of the store, as its answers and export lines hold them. */
export const productGid = (id: number): string => `gid://shopify/Product/${String(id)}`;

export function productNode(id: number, overrides: object = {}): Record<string, unknown> {
  return {
    __typename: 'Product',
    id: productGid(id),
    title: `Product ${String(id)}`,
    handle: `product-${String(id)}`,
    descriptionHtml: '<p>Good.</p>',
    vendor: 'Acme',
    productType: 'Thing',
    tags: ['a', 'b'],
    status: 'ACTIVE',
    updatedAt: '2026-11-19T10:00:00Z',
    onlineStoreUrl: null,
    category: { id: 'gid://shopify/TaxonomyCategory/aa-1', fullName: 'Apparel > Shirts' },
    seo: { title: null, description: '' },
    options: [
      {
        id: `gid://shopify/ProductOption/${String(id)}`,
        name: 'Title',
        position: 1,
        optionValues: [{ id: 'x', name: 'Default Title' }],
      },
    ],
    ...overrides,
  };
}

export function variantNode(id: number, overrides: object = {}): Record<string, unknown> {
  return {
    __typename: 'ProductVariant',
    id: `gid://shopify/ProductVariant/${String(id)}`,
    title: 'Default Title',
    sku: `SKU-${String(id)}`,
    barcode: '',
    position: 1,
    selectedOptions: [{ name: 'Title', value: 'Default Title' }],
    ...overrides,
  };
}

export function imageNode(id: number, url: string | null): Record<string, unknown> {
  return {
    __typename: 'MediaImage',
    id: `gid://shopify/MediaImage/${String(id)}`,
    status: url === null ? 'PROCESSING' : 'READY',
    image: url === null ? null : { url },
  };
}

export function metafieldNode(
  id: number,
  key: string,
  value: string,
  namespace = 'custom',
): Record<string, unknown> {
  return {
    __typename: 'Metafield',
    id: `gid://shopify/Metafield/${String(id)}`,
    ...{ namespace, key, type: 'single_line_text_field', value },
  };
}

const page = (nodes: readonly unknown[], endCursor: string | null = null): object => ({
  nodes,
  pageInfo: { hasNextPage: endCursor !== null, endCursor },
});

/** A whole product as `nodes(ids:)` answers with it. */
export function detailNode(id: number, overrides: object = {}): Record<string, unknown> {
  return {
    ...productNode(id),
    variants: page([variantNode(id * 10)]),
    media: page([]),
    metafields: page([]),
    ...overrides,
  };
}

export { page };

/** The fields of a product as reads and writes of its texts answer them. */
export function contentNode(overrides: object = {}): object {
  return {
    title: 'Stored title',
    descriptionHtml: '<p>Stored</p>',
    vendor: 'Acme',
    productType: '',
    seo: { title: 'Live SEO', description: null },
    ...overrides,
  };
}

/** What `productUpdate` answers. */
export function productUpdate(product: object | null, userErrors: readonly object[] = []): object {
  return { productUpdate: { product, userErrors } };
}

/** Lines as the store writes them: slashes are escaped. */
export function exportText(nodes: readonly Record<string, unknown>[]): string {
  return nodes.map((node) => `${JSON.stringify(node).replaceAll('/', String.raw`\/`)}\n`).join('');
}

export function childOf(product: number, node: Record<string, unknown>): Record<string, unknown> {
  return { ...node, __parentId: productGid(product) };
}
