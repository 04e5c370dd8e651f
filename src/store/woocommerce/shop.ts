import { CodedError } from '../../domain/errors.js';
import { shopIdentity } from '../../domain/external-id.js';
import { withoutTrailing } from '../../domain/text.js';
import type { KeptIdentity, ShopIdentity } from '../../domain/store-port.js';
import { Remembered } from '../../runtime/remembered.js';
import { behindMs } from '../shop-clock.js';
import type { WooClient } from './client.js';
import { WOOCOMMERCE } from './kind.js';
import { categorySchema, statusSchema } from './schemas.js';
import { walk } from './pages.js';
import { decodedName } from './texts.js';

/** The most levels of a category's full name. A plugin may nest categories without end, or in a circle. */
const DEEPEST = 20;
/** Terms and the shop itself change rarely. */
const REMEMBERED_MS = 600_000;

export interface ShopFacts {
  /** The beginning of external_ids. */
  readonly identity: string;
  readonly version: string;
  readonly address: string;
  readonly hasStoreId: boolean;
  /** How far its clock is behind ours, in whole minutes; 0 when it is ahead. The times of its products are by its clock. */
  readonly behindMs: number;
  /** Folders of the active plugins, such as `wordpress-seo`. */
  readonly plugins: ReadonlySet<string>;
}

/** Null for a category that the shop does not list, because a plugin hides those of other languages. It is looked for only once. */
type CategoryPaths = Map<number, string | null>;

/** The shop that answers, which must be the one of before. Remembered for ten minutes. */
export class WooShop {
  readonly #facts = new Remembered<ShopFacts>(REMEMBERED_MS, Date.now);
  readonly #categories = new Remembered<CategoryPaths>(REMEMBERED_MS, Date.now);

  constructor(
    private readonly client: WooClient,
    private readonly kept: KeptIdentity | undefined,
  ) {}

  /** Throws `misconfigured` when another shop answers, or the same one at another address. */
  facts({ fresh = false } = {}): Promise<ShopFacts> {
    const ask = (): Promise<ShopFacts> => this.#asked();
    return fresh ? this.#facts.renew('', ask) : this.#facts.get('', ask);
  }

  async #asked(): Promise<ShopFacts> {
    const call = { path: 'wc/v3/system_status', query: { _fields: 'environment,active_plugins' } };
    const { data, at } = await this.client.run(call, statusSchema);
    const { environment, active_plugins: plugins } = data;
    const address = addressOf(environment.home_url);
    const storeId = environment.store_id?.toLowerCase() ?? '';
    const id = storeId === '' ? new URL(environment.home_url).hostname : storeId;
    await this.#prove({ id, address });
    return {
      identity: shopIdentity(WOOCOMMERCE, id),
      version: environment.version,
      address,
      hasStoreId: storeId !== '',
      behindMs: behindMs(at, Date.now()),
      plugins: new Set(plugins.map(({ plugin }) => plugin.split('/')[0] ?? '')),
    };
  }

  /** A copy of the database has the same id elsewhere, and a new shop at the same address has another one. */
  async #prove(found: ShopIdentity): Promise<void> {
    if (this.kept === undefined) return;
    const known = await this.kept.read();
    if (known === null) {
      await this.kept.keep(found);
      return;
    }
    if (known.id === found.id && known.address === found.address) return;
    const what =
      known.id === found.id
        ? `the shop was at ${known.address} and answers as ${found.address} now: it moved, or this is a copy`
        : `another shop answers at ${found.address}: ${found.id} in place of ${known.id}`;
    throw new CodedError(
      'misconfigured',
      `${what}. Run store-sync retry --accept-shop if it is right, or set url back`,
      { side: 'store' },
    );
  }

  /** The full names of the product categories, by id: `Root > Subcategory`. They are read again when one of these is new. */
  async categoryPaths(wanted: readonly number[]): Promise<ReadonlyMap<number, string | null>> {
    const ask = (): Promise<CategoryPaths> => this.#readCategories();
    const known = await this.#categories.get('', ask);
    if (wanted.every((id) => known.has(id))) return known;
    const fresh = await this.#categories.renew('', ask);
    for (const id of wanted) if (!fresh.has(id)) fresh.set(id, null);
    return fresh;
  }

  async #readCategories(): Promise<CategoryPaths> {
    const all = new Map<number, { readonly name: string; readonly parent: number }>();
    const list = {
      path: 'wc/v3/products/categories',
      query: { orderby: 'id', order: 'asc', _fields: 'id,name,parent' },
    };
    for await (const { rows } of walk(this.client, list, categorySchema))
      for (const row of rows) all.set(row.id, row);
    const pathOf = (id: number): string => {
      const path = new Set<{ readonly name: string }>();
      for (let own = all.get(id); own && !path.has(own) && path.size < DEEPEST; own = all.get(own.parent))
        path.add(own);
      return [...path]
        .map(({ name }) => decodedName(name))
        .toReversed()
        .join(' > ');
    };
    return new Map([...all.keys()].map((id) => [id, pathOf(id)]));
  }
}

/** Without the scheme, which a shop behind a proxy tells one way or the other. */
function addressOf(homeUrl: string): string {
  const { host, pathname } = new URL(homeUrl);
  return withoutTrailing(`${host}${pathname}`, '/');
}
