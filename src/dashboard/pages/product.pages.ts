import { NotFoundException, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { found } from '../../operations/found.js';
import { ProductNames } from '../../operations/product-names.js';
import {
  CONTENT_FILTERS,
  LINK_STATES,
  PRODUCT_ORDERS,
  ProductOperations,
  type LinkedProduct,
} from '../../operations/products.js';
import { RunOperations } from '../../operations/runs.js';
import type { PresentedWithheld } from '../../operations/withheld.js';
import { Connections } from '../../connections/connections.js';
import { formQuery, pageAt, pageListShape, searchSchema } from '../page-query.js';
import { previewDocument } from '../preview.js';
import { ProductLive } from '../product-live.js';
import { Form, Page, Pages } from '../page-routes.js';
import { ThisVisit, ThisVisitor, type NextPage, type Visit, type Visitor } from '../visit.js';
import { Thumbnails } from '../thumbnails.js';
import { productPage } from '../views/product.js';
import { productsPage } from '../views/products.js';

const querySchema = formQuery({
  ...pageListShape(LINK_STATES),
  content: z.enum(CONTENT_FILTERS).optional(),
  sort: z.enum(PRODUCT_ORDERS).optional(),
  search: searchSchema,
});

@Pages('products')
export class ProductPages {
  constructor(
    private readonly products: ProductOperations,
    private readonly thumbnails: Thumbnails,
    private readonly live: ProductLive,
    private readonly runs: RunOperations,
    private readonly names: ProductNames,
    private readonly connections: Connections,
  ) {}

  @Page()
  async list(
    @Query({ schema: querySchema }) query: z.output<typeof querySchema>,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    const { offset, ...given } = query;
    const [products, counts] = await Promise.all([
      this.products.list({ ...pageAt(offset), ...given }),
      this.products.counts(given),
    ]);
    const [images, titles] = await Promise.all([
      this.thumbnails.of(products.items.map(({ externalId }) => externalId)),
      this.#titlesOfHolders(products.items.flatMap(({ withheld }) => withheld)),
    ]);
    const stores = this.connections.storeKeys;
    return productsPage(visitor, products, { given, counts, stores, images, titles });
  }

  @Page(':id')
  async show(@Param('id') id: string, @ThisVisitor() visitor: Visitor): Promise<string> {
    const product = await this.products.timeline(id);
    const link = await this.products.link(product.externalId);
    const [images, titles, live] = await Promise.all([
      this.thumbnails.of([product.externalId]),
      this.#titlesOfHolders(product.link?.withheld ?? []),
      link === null ? null : this.live.read(link.store, link.storeId),
    ]);
    return productPage(visitor, {
      product,
      live,
      titles,
      image: images.get(product.externalId),
      adminUrl: link === null ? null : this.#adminUrl(link),
    });
  }

  /** The present description, rendered where nothing runs and nothing is loaded. */
  @Page(':id/preview')
  async preview(@Param('id') id: string, @Res() response: Response): Promise<void> {
    const { store, storeId } = await this.#link(id);
    const live = await this.live.read(store, storeId);
    if ('problem' in live) throw new NotFoundException('This field has no text to show.');
    const { headers, body } = previewDocument(live.descriptionHtml);
    response.set(headers).send(body);
  }

  /** A run that reads this product whatever the watermark says, besides what changed. */
  @Form(':id/sync', 'admin', 'sync')
  async sync(@Param('id') id: string, @ThisVisit() visit: Visit): Promise<NextPage> {
    const run = await this.runs.requestFor(await this.#link(id), visit.name);
    const notice = run.created
      ? 'The run was requested. It reads this product and everything that changed.'
      : 'This store already has an active run, shown here. The next one reads this product.';
    return visit.goTo(`/runs/${run.id}`, notice);
  }

  #titlesOfHolders(withheld: readonly PresentedWithheld[]): Promise<ReadonlyMap<string, string>> {
    return this.names.of(withheld.flatMap(({ holder }) => holder.products));
  }

  #adminUrl({ store, storeId }: LinkedProduct): string | null {
    return this.connections.findStore(store)?.connector.adminUrl(storeId) ?? null;
  }

  async #link(id: string): Promise<LinkedProduct> {
    return found(await this.products.link(id), 'product', id);
  }
}
