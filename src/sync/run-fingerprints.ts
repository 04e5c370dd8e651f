import type { SourceProduct } from '../domain/store-port.js';
import type { LinkBaseRow, MetProducts } from '../persistence/plan-rows.js';
import { isUnchanged, mayBeUnchanged } from '../planner/plan-product.js';
import type { Store } from '../sites/sites.js';
import type { FingerprintSettings } from './fingerprint-order.js';
import {
  FingerprintShare,
  type FingerprintThread,
  type ProductToFingerprint,
  SLOT_BYTES,
} from './fingerprint-thread.js';

/** A run that has to parse fewer products takes less time than the start of the thread. */
const FEWEST_PRODUCTS = 2_000;
/** A message costs as much as parsing a few products. For a share, the main thread may have to wait. */
const SHARE_PRODUCTS = 50;
/** So many fingerprints show whether most products of a run have changed. Each would be parsed twice then. */
const TELLING = 1_000;

/** The part of a store that decides the fingerprints of its products. */
type FingerprintedStore = Pick<Store, 'rules'> & { readonly settings: Pick<Store['settings'], 'filter'> };

/** A product that was read, and its link. */
export interface LinkedProduct {
  readonly product: SourceProduct;
  readonly link: LinkBaseRow;
}

export interface FoundProduct extends LinkedProduct {
  /** False where this thread has to plan it. */
  readonly unchanged: boolean;
}

/** How many fingerprints a run has asked for, and how many of them were those of the last push. */
interface Benefit {
  asked: number;
  same: number;
}

/**
 * Shares the parsing of one run's products with the thread. While a run parses many, the heap may grow further. Call `end` when the last
 * product is planned.
 */
export class RunFingerprints {
  readonly #benefit: Benefit = { asked: 0, same: 0 };
  /** Those that the thread might find unchanged. */
  #products = 0;
  #entered = false;
  #offered: readonly OfferedProducts[] = [];

  readonly #settings: FingerprintSettings;

  /** `thread`: null where there is none. */
  constructor(
    private readonly thread: FingerprintThread | null,
    store: FingerprintedStore,
  ) {
    this.#settings = settingsOf(store);
  }

  /** Offers the thread the products of a batch that may be unchanged, but have to be parsed to know it. */
  offer(batch: readonly SourceProduct[], moved: MetProducts['moved']): OfferedProducts {
    const { thread } = this;
    if (thread === null || moved.size === 0) return NOTHING_OFFERED;
    const products = new Map<string, LinkedProduct>();
    for (const product of batch) {
      const link = moved.get(product.externalId);
      if (link != null && mayBeUnchanged(link) && !products.has(product.externalId))
        products.set(product.externalId, { product, link });
    }
    this.#products += products.size;
    if (!this.#isWorthwhile(thread)) return NOTHING_OFFERED;
    const shares = sharesOf([...products.values()], this.#settings);
    const offered = new OfferedProducts(thread, shares, this.#benefit);
    // The batch before the last one has been planned.
    this.#offered = [...this.#offered.slice(-1), offered];
    return offered;
  }

  /** Also takes back what a run that failed has left to the thread. */
  async end(): Promise<void> {
    for (const offered of this.#offered) while (offered.takeBack() !== null);
    if (this.#entered) await this.thread?.leave();
  }

  #isWorthwhile(thread: FingerprintThread): boolean {
    if (this.#products < FEWEST_PRODUCTS) return false;
    if (!this.#entered) {
      this.#entered = true;
      thread.enter();
    }
    const { asked, same } = this.#benefit;
    return thread.isReady && (asked < TELLING || same * 2 > asked);
  }
}

/** The part of a store's settings that the thread has to know, as plain data. */
function settingsOf({ rules, settings }: FingerprintedStore): FingerprintSettings {
  const { version, sectionsNamespace, mappedMetafields, mapping } = rules;
  const { status, giftCards } = settings.filter;
  return {
    rules: {
      version,
      sectionsNamespace,
      mappedMetafields,
      mapping: { openAttributes: mapping.openAttributes },
    },
    filter: { status, giftCards },
  };
}

interface OfferedShare {
  readonly share: FingerprintShare;
  readonly products: readonly LinkedProduct[];
}

/** In pieces that fit into a slot. A product that does not is in none. */
function sharesOf(products: readonly LinkedProduct[], settings: FingerprintSettings): OfferedShare[] {
  const shares: OfferedShare[] = [];
  let linked: LinkedProduct[] = [];
  let toFingerprint: ProductToFingerprint[] = [];
  let bytes = 0;
  const close = (): void => {
    const [first, ...others] = toFingerprint;
    if (first === undefined) return;
    shares.push({ share: new FingerprintShare(settings, [first, ...others]), products: linked });
    [linked, toFingerprint, bytes] = [[], [], 0];
  };
  for (const each of products) {
    const { unparsed, storeId } = each.product;
    if (unparsed === undefined || unparsed.bytes.length > SLOT_BYTES) continue;
    if (linked.length === SHARE_PRODUCTS || bytes + unparsed.bytes.length > SLOT_BYTES) close();
    linked.push(each);
    toFingerprint.push({ storeId, unparsed, written: each.link.written });
    bytes += unparsed.bytes.length;
  }
  close();
  return shares;
}

/** Products of a batch that the thread may parse. It begins with the first ones, and what it has not begun can be taken back. */
export class OfferedProducts {
  readonly #ids: ReadonlySet<string>;
  readonly #left: OfferedShare[];

  constructor(
    private readonly thread: Pick<FingerprintThread, 'add' | 'takeBack' | 'answer'> | null,
    shares: readonly OfferedShare[],
    private readonly benefit: Benefit,
  ) {
    this.#left = [...shares];
    this.#ids = new Set(shares.flatMap(({ products }) => products.map(({ product }) => product.externalId)));
    for (const { share } of shares) thread?.add(share);
  }

  has(externalId: string): boolean {
    return this.#ids.has(externalId);
  }

  /** The last products that the thread has not begun, for the caller to plan; null when there are none. */
  takeBack(): readonly LinkedProduct[] | null {
    const last = this.#left.at(-1);
    if (last === undefined || this.thread?.takeBack(last.share) !== true) return null;
    this.#left.pop();
    return last.products;
  }

  /** The products that were not taken back, as the thread has done with them, and whether it found each unchanged. */
  async *found(): AsyncGenerator<readonly FoundProduct[]> {
    for (const { share, products } of this.#left.splice(0)) {
      const fingerprints = (await this.thread?.answer(share)) ?? [];
      const found = products.map(({ product, link }, index) => {
        const fingerprint = fingerprints[index] ?? null;
        return { product, link, unchanged: fingerprint !== null && isUnchanged(link, fingerprint) };
      });
      this.benefit.asked += found.length;
      this.benefit.same += found.filter(({ unchanged }) => unchanged).length;
      yield found;
    }
  }
}

export const NOTHING_OFFERED = new OfferedProducts(null, [], { asked: 0, same: 0 });
