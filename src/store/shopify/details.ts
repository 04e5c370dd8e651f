import { CodedError, isCoded } from '../../domain/errors.js';
import { productExternalId } from '../../domain/external-id.js';
import type { ProductSnapshot } from '../../domain/snapshot.js';
import type { SourceProduct } from '../../domain/store-port.js';
import type { ReadScope } from './api-types.js';
import type { ShopifyClient } from './client.js';
import type { StoreDocument } from './document.js';
import { MORE_MEDIA, moreMetafields, moreVariants, productDetails, WHO_AM_I } from './documents.js';
import { refusedWith } from './faults.js';
import type { SourceLocales } from './source-locales.js';
import { MalformedProductError, numericId, parseNode, type RawProduct, toSnapshot } from './mapper.js';
import type { ShopifyLimits } from './options.js';
import { type PageInfo, pagesOf } from './pages.js';
import { detailsData, moreData, nodeKindSchema, productDetailPagesSchema, whoAmIData } from './schemas.js';

/** Reads whole products by id, several per call. */
export class ProductDetails {
  /** Products per call, adjusted to the cost that the store reports. */
  private chunk: number;
  private readonly moreVariants: StoreDocument;

  constructor(
    private readonly client: ShopifyClient,
    private readonly scope: ReadScope,
    private readonly limits: ShopifyLimits,
    private readonly locales: Pick<SourceLocales, 'readable' | 'readableOfMetafields'>,
  ) {
    this.chunk = Math.min(10, limits.detailChunk);
    this.moreVariants = moreVariants(scope.variantMetafields);
  }

  /** The current products, in the order of the ids; null for an id without a product. */
  async read(ids: readonly string[]): Promise<(SourceProduct | null)[]> {
    const { variantMetafields } = this.scope;
    const locales = await this.locales.readable();
    const metafieldLocales = await this.locales.readableOfMetafields();
    const document = productDetails(variantMetafields, locales, metafieldLocales);
    const products: (SourceProduct | null)[] = [];
    while (products.length < ids.length) {
      const chunk = ids.slice(products.length, products.length + this.chunk);
      const nodes = await this.readChunk(document, chunk);
      if (nodes === 'too much') continue;
      for (const [index, node] of nodes.entries())
        products.push(await this.complete(chunk[index] ?? '', node));
    }
    return products;
  }

  /** The node of each product, or the error of the only one. */
  private async readChunk(
    document: StoreDocument,
    ids: readonly string[],
  ): Promise<readonly unknown[] | 'too much'> {
    try {
      const { data, requestedCost } = await this.client.run(document, { ids }, detailsData);
      if (data.nodes.length !== ids.length) {
        throw new CodedError(
          'transient',
          `the store answered ${String(data.nodes.length)} of ${String(ids.length)} products`,
        );
      }
      this.adjust(ids.length, requestedCost);
      return data.nodes;
    } catch (error) {
      // The call fails for all products when the store fails at one of them.
      if (ids.length === 1 && isFailure(error)) return [error];
      const isTooMuch = isFailure(error) || refusedWith(error, 'MAX_COST_EXCEEDED');
      if (ids.length === 1 || !isTooMuch) throw error;
      this.chunk = Math.ceil(ids.length / 2);
      return 'too much';
    }
  }

  private adjust(asked: number, cost: number | null): void {
    if (cost === null || cost === 0) return;
    const affordable = Math.floor((asked * this.limits.detailCost) / cost);
    this.chunk = Math.max(1, Math.min(affordable, this.limits.detailChunk, asked * 2));
  }

  /**
   * Null for what is gone or is no product. A product that is malformed, or at which the store fails, fails only when its snapshot is
   * requested.
   */
  private async complete(id: string, node: unknown): Promise<SourceProduct | null> {
    if (node === null) return null;
    try {
      if (node instanceof CodedError) throw node;
      const children = await this.childrenOf(id, node);
      if (children === null) return null;
      return this.source(id, () => toSnapshot({ core: node, ...children }, this.scope));
    } catch (error) {
      if (isFailure(error)) {
        // Throws where the store answers nothing else either: then it does not fail at this product.
        await this.client.run(WHO_AM_I, {}, whoAmIData);
      } else if (!(error instanceof MalformedProductError)) throw error;
      return this.source(id, () => {
        throw error;
      });
    }
  }

  private source(id: string, snapshot: () => ProductSnapshot): SourceProduct {
    const externalId = productExternalId(this.scope.identity, numericId(id));
    return { externalId, storeId: id, snapshot };
  }

  private async childrenOf(id: string, node: unknown): Promise<Omit<RawProduct, 'core'> | null> {
    if (parseNode(nodeKindSchema, node).__typename !== 'Product') return null;
    const pages = parseNode(productDetailPagesSchema, node);
    if (pages.id !== id) throw new MalformedProductError(`the store answered ${pages.id} in place of ${id}`);
    const variants = await this.follow(this.moreVariants, id, pages.variants);
    const media = await this.follow(MORE_MEDIA, id, pages.media);
    const metafields = await this.follow(
      moreMetafields(await this.locales.readableOfMetafields()),
      id,
      pages.metafields,
    );
    if (variants === null || media === null || metafields === null) return null;
    return { variants, media, metafields };
  }

  /** All nodes of a connection from its first page on; null when the product disappeared meanwhile. */
  private async follow(document: StoreDocument, id: string, first: Page): Promise<unknown[] | null> {
    const read = async (after: string | null): Promise<Page | undefined> =>
      after === null
        ? first
        : (await this.client.run(document, { id, after }, moreData)).data.product?.children;
    const nodes: unknown[] = [];
    for await (const page of pagesOf(read, (each) => each)) {
      if (page === undefined) return null;
      nodes.push(...page.nodes);
    }
    return nodes;
  }
}

interface Page {
  readonly nodes: readonly unknown[];
  readonly pageInfo: PageInfo;
}

/** True when the store itself failed, however often it was asked. */
function isFailure(error: unknown): error is CodedError {
  if (refusedWith(error, 'INTERNAL_SERVER_ERROR') || refusedWith(error, 'TIMEOUT')) return true;
  return isCoded(error) && error.status === 504;
}
