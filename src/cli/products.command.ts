import { IDENTIFIER_NAMES } from '../domain/catalog-product.js';
import { found } from '../operations/found.js';
import { ProductOperations, productQuerySchema, type ProductTimeline } from '../operations/products.js';
import { fieldLine } from './field-line.js';
import { LIST_OPTIONS, parsedQuery, withoutOptions, type ListOptions } from './list-options.js';
import { StoreSyncCommand } from './command.js';
import { print, printJson, printPage } from './output.js';
import { actionOf, idsFor, nothingMore, paint, paintState, printable } from './terminal.js';

const ACTIONS = ['list', 'show'] as const;

interface ProductsOptions extends ListOptions {
  readonly search?: string;
}

export class ProductsCommand extends StoreSyncCommand<ProductsOptions> {
  override readonly args = {
    '[action]': 'list (default) | show ID',
    '[id...]': 'an external_id, SKU, barcode or handle',
  };
  override readonly options = [
    {
      flags: '--search <text>',
      description: 'list: only products with this text in the title, handle or external_id, or this SKU',
    },
    ...LIST_OPTIONS,
  ];

  protected async execute(options: ProductsOptions, [given, ...ids]: readonly string[]): Promise<number> {
    const action = actionOf('products', ACTIONS, given);
    if (action === 'list') {
      nothingMore('products list', ids);
      const { state, store, search, limit, offset } = options;
      const query = parsedQuery(productQuerySchema, { state, store, search, limit, offset });
      return this.withService(options, ProductOperations, async (products) => {
        printPage(await products.list(query), 'products', options, (product) => {
          const { externalId, label, state, standing } = product;
          print(`${externalId}  ${paintState(state, 10)}  ${printable(label)}: ${printable(standing, 400)}`);
        });
        return 0;
      });
    }
    const [id = '', ...more] = idsFor('products', 'show', ids);
    nothingMore('products show ID', more);
    withoutOptions('products show ID', options, ['state', 'search', 'limit', 'offset']);
    return this.withService(options, ProductOperations, async (products) => {
      const timelines = await timelinesOf(products, id);
      if (options.json) printJson(timelines.length === 1 ? timelines[0] : timelines);
      else timelines.forEach(printTimeline);
      return 0;
    });
  }
}

async function timelinesOf(products: ProductOperations, id: string): Promise<ProductTimeline[]> {
  const [first, ...others] = await products.find(id);
  return Promise.all([found(first, 'product', id), ...others].map((one) => products.timeline(one)));
}

function printTimeline(product: ProductTimeline): void {
  const { link } = product;
  const state = link === null ? 'not linked' : paintState(link.state);
  print(`${paint('bold', product.externalId)}  ${printable(product.label ?? '')}  ${state}`);
  if (link !== null) {
    const catalog = link.catalogId === null ? 'no catalog product yet' : `catalog product ${link.catalogId}`;
    print(`  store ${link.store}, workspace ${link.workspace}, ${catalog}`);
  }
  for (const { at, kind, what, reason, fields } of product.timeline) {
    print(
      `  ${paint('dim', at)}  ${kind.padEnd(10)}  ${printable(what)}${reason === null ? '' : ` (${printable(reason, 400)})`}`,
    );
    for (const field of fields ?? []) print(`${' '.repeat(40)}${fieldLine(field)}`);
  }
  print(`  => ${printable(product.standing, 1000)}`);
  for (const { kind, value, holder, remedy } of link?.withheld ?? []) {
    print(
      `     ${printable(
        [
          `${IDENTIFIER_NAMES[kind]} ${value} is held by ${holder.who}`,
          ...holder.externalIds,
          ...(holder.catalogId === null ? [] : [`catalog product ${holder.catalogId}`]),
        ].join('; '),
        400,
      )}`,
    );
    print(`     ${remedy}`);
  }
}
