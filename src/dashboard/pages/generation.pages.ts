import { Body, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { Connections } from '../../connections/connections.js';
import { CodedError } from '../../domain/errors.js';
import { found } from '../../operations/found.js';
import { SyncCosts } from '../../operations/sync-cost.js';
import { ProductOperations, type LinkedProduct } from '../../operations/products.js';
import { nameOf, productPath } from '../elements.js';
import { GenerateAgain } from '../generate-again.js';
import { severalSchema } from '../page-query.js';
import { Form, Page, Pages } from '../page-routes.js';
import { OtherAnswer, ThisVisit, type NextPage, type Visit } from '../visit.js';
import { generateQuestionPage } from '../views/reports.js';

const chosenSchema = z.looseObject({ id: severalSchema });

/** Content for products that a person chose. It costs credits, so that the question comes first. */
@Pages('products')
export class GenerationPages {
  constructor(
    private readonly products: ProductOperations,
    private readonly again: GenerateAgain,
    private readonly costs: SyncCosts,
    private readonly connections: Connections,
  ) {}

  @Page(['generate', ':id/generate'])
  async question(
    @Param('id') id: string | undefined,
    @Query({ schema: chosenSchema }) { id: ids }: z.output<typeof chosenSchema>,
    @ThisVisit() visit: Visit,
  ): Promise<string> {
    const chosen = id === undefined ? ids : [id];
    if (chosen.length === 0)
      throw new OtherAnswer(await visit.goTo('/products', 'Select at least one product.'));
    const { store, products } = await this.#ofOneStore(chosen);
    const cost = await this.costs.ofProducts(this.connections.store(store).workspace, products.length);
    const named = products.map(({ externalId, label }) => ({ externalId, label: nameOf(label, externalId) }));
    return generateQuestionPage(visit.shown(), { store, products: named, cost });
  }

  @Form('generate', 'admin', 'generate')
  async generate(
    @Body({ schema: chosenSchema }) { id: ids }: z.output<typeof chosenSchema>,
    @ThisVisit() visit: Visit,
  ): Promise<NextPage> {
    const { store, products } = await this.#ofOneStore(ids);
    const externalIds = products.map(({ externalId }) => externalId);
    const notice = await this.again.request(store, externalIds);
    const [only = '', ...others] = externalIds;
    const next = others.length === 0 ? productPath(only) : '/products?content=requested';
    return visit.goTo(next, notice);
  }

  /** The chosen products, which are of one store: a request goes to one. Throws `invalid` for those of several. */
  async #ofOneStore(ids: readonly string[]): Promise<{ store: string; products: LinkedProduct[] }> {
    const links = await Promise.all(ids.map((id) => this.products.link(id)));
    const products = links.filter((link) => link !== null);
    const [store, ...others] = new Set(products.map((product) => product.store));
    if (others.length > 0)
      throw new CodedError(
        'invalid',
        `these products are of the stores ${[store, ...others].join(' and ')}: choose those of one store`,
      );
    return { store: found(store, 'product', ids[0] ?? ''), products };
  }
}
