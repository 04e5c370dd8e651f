import type { CatalogClient } from '../catalog/client.js';
import type { CatalogProduct } from '../catalog/schemas.js';
import { isCoded } from '../domain/errors.js';
import { fingerprint } from '../domain/fingerprint.js';
import type { DeliveryRepository } from '../persistence/delivery.repository.js';
import type { StoreProductEntity } from '../persistence/entities/index.js';
import type { LinkRepository } from '../persistence/link.repository.js';
import type { TaskRepository } from '../persistence/task.repository.js';
import type { StateRepository } from '../persistence/state.repository.js';
import { catalogFields } from '../planner/catalog-content.js';
import type { Clock } from '../runtime/clock.js';
import type { Workspace } from '../connections/connections.js';
import type { NewContent } from './new-content.js';

/** Products of one round at most: a bulk generation elsewhere takes several rounds. */
const ROUND_MOST = 500;
/** The longest rest of a workspace after faults. */
const LONGEST_REST_MS = 300_000;
const NEWEST_FIRST = { tasks: 'success', orderBy: 'task', sorting: 'desc' } as const;

type ProductPage = Awaited<ReturnType<CatalogClient['listProducts']>>;

/** The progress of a workspace's sweep. */
interface Standing {
  /** A reload of the configuration brings another client: the workspace is due at once. */
  readonly client: CatalogClient;
  nextAtMs: number;
  /** Faults in a row. */
  faults: number;
  /** When a person last asked for a sweep, before the newest one. */
  askedAtMs: number;
  /** The page where the walk through all products goes on; null at its end. */
  place: ProductPage | null;
}

/**
 * Finds results without a request from here and without a delivery. A person may have generated or edited in the service, the
 * service does not notify twice, or the webhook slot belongs to another system. Each round looks at the newest page of generated
 * products, and further while there is something new or nothing of ours. It also looks at one further page of a walk through all of
 * them, because what others generate may hide ours from the newest pages. Each result becomes a delivery in the inbox.
 */
export class ResultSweep {
  readonly #standings = new Map<string, Standing>();

  constructor(
    private readonly tasks: TaskRepository,
    private readonly links: LinkRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly newContent: NewContent,
    private readonly clock: Clock,
    private readonly state: StateRepository,
  ) {}

  /** One round over the workspace if it is due; returns the ids of the deliveries made. A fault makes the next round wait longer. */
  async round(workspace: Workspace): Promise<string[]> {
    const standing = this.#standing(workspace);
    const nowMs = this.clock.now().getTime();
    if (nowMs < standing.nextAtMs && !(await this.#isWoken(standing, workspace.key))) return [];
    standing.askedAtMs = await this.#askedAtMs(workspace.key);
    const pollMs = workspace.settings.tasks.pollSeconds * 1000;
    standing.faults += 1;
    standing.nextAtMs = nowMs + Math.max(pollMs, Math.min(pollMs * 2 ** standing.faults, LONGEST_REST_MS));
    const ids = await this.#look(workspace, standing);
    standing.faults = 0;
    standing.nextAtMs = nowMs + pollMs;
    return ids;
  }

  /** `store-sync retry` runs in another process, and says so by a row. */
  async #isWoken({ faults, askedAtMs }: Standing, workspace: string): Promise<boolean> {
    return faults > 0 && (await this.#askedAtMs(workspace)) > askedAtMs;
  }

  async #askedAtMs(workspace: string): Promise<number> {
    return (await this.state.workspace(workspace))?.sweepAskedAt?.getTime() ?? 0;
  }

  #standing({ key, client }: Workspace): Standing {
    const known = this.#standings.get(key);
    if (known?.client === client) return known;
    const fresh: Standing = { client, nextAtMs: 0, faults: 0, askedAtMs: 0, place: null };
    this.#standings.set(key, fresh);
    return fresh;
  }

  async #look(workspace: Workspace, standing: Standing): Promise<string[]> {
    const ids: string[] = [];
    let listed = 0;
    let last: ProductPage | null = null;
    const shown: CatalogProduct[] = [];
    for await (const page of workspace.client.productPages(NEWEST_FIRST)) {
      const { found, ours } = await this.#deliverNew(workspace, page.results);
      ids.push(...found);
      listed += page.results.length;
      shown.push(...page.results);
      last = page;
      if ((found.length === 0 && ours > 0) || listed >= ROUND_MOST) break;
    }
    standing.place ??= last;
    ids.push(...(await this.#walkOn(workspace, standing)));
    for (const locale of this.newContent.furtherLocales(workspace.key))
      ids.push(...(await this.#deliverTranslated(workspace, shown, locale)));
    return ids;
  }

  /** The next page of the walk through all products. */
  async #walkOn(workspace: Workspace, standing: Standing): Promise<string[]> {
    const { place } = standing;
    standing.place = null;
    if (place?.next == null) return [];
    let isPlace = true;
    for await (const page of workspace.client.productPages(NEWEST_FIRST, place)) {
      if (isPlace) {
        isPlace = false;
        continue;
      }
      standing.place = page;
      return (await this.#deliverNew(workspace, page.results)).found;
    }
    return [];
  }

  async #deliverNew(
    workspace: Workspace,
    products: readonly CatalogProduct[],
  ): Promise<{ readonly found: string[]; readonly ours: number }> {
    const links = await this.links.byCatalogIds(
      workspace.key,
      products.map(({ id }) => String(id)),
    );
    const byCatalogId = new Map(links.map((link) => [link.catalogId, link]));
    const found: string[] = [];
    for (const product of products) {
      const link = byCatalogId.get(String(product.id));
      const id = link === undefined ? null : await this.#deliver(workspace, link, product);
      if (id !== null) found.push(id);
    }
    return { found, ours: links.length };
  }

  /** Texts of a further language that were generated without one of the workspace's own. `shown`: the newest products in that one. */
  async #deliverTranslated(
    workspace: Workspace,
    shown: readonly CatalogProduct[],
    locale: string,
  ): Promise<string[]> {
    const links = await this.links.byCatalogIds(
      workspace.key,
      shown.map(({ id }) => String(id)),
    );
    const found: string[] = [];
    for (const translated of await newestIn(workspace, locale)) {
      const primary = shown.find(({ id }) => id === translated.id);
      const link = links.find(({ catalogId }) => catalogId === String(translated.id));
      if (primary === undefined || link === undefined) continue;
      const print = await this.newContent.inLanguage(link, primary, translated, locale);
      if (print === null || (await this.tasks.openFor(link.externalId)) !== null) continue;
      const product = await workspace.client.getProduct(String(primary.id));
      found.push(
        ...(await this.#receive(workspace, product, [locale, print, link.newestResultAt?.toISOString()])),
      );
    }
    return found;
  }

  async #deliver(
    workspace: Workspace,
    link: StoreProductEntity,
    listed: CatalogProduct,
  ): Promise<string | null> {
    if (!(await this.newContent.since(link, link.catalogFields, listed))) return null;
    // A task that is open has its own poll, which knows what was there when it was asked for.
    if ((await this.tasks.openFor(link.externalId)) !== null) return null;
    // A list may show less of a product than the product's own address does.
    const product = await workspace.client.getProduct(String(listed.id));
    if (!(await this.newContent.since(link, link.catalogFields, product))) return null;
    const newestAt = link.newestResultAt?.toISOString();
    const [id = null] = await this.#receive(workspace, product, [
      catalogFields(product),
      link.catalogFields,
      newestAt,
    ]);
    return id;
  }

  /** The id of the delivery, unless the same was found before. */
  async #receive(
    workspace: Workspace,
    product: CatalogProduct,
    sight: readonly unknown[],
  ): Promise<string[]> {
    const { id, isNew } = await this.deliveries.receive({
      workspace: workspace.key,
      dedupeKey: `sweep:${String(product.id)}:${fingerprint(sight)}`,
      via: 'poll',
      headers: {},
      rawBody: Buffer.from(JSON.stringify({ action: 'product_generated', status: 'SUCCESS', product })),
      action: 'product_generated',
    });
    return isNew ? [id] : [];
  }
}

/** The newest products in the language. Empty where the service does not know it. */
async function newestIn({ client }: Workspace, locale: string): Promise<readonly CatalogProduct[]> {
  try {
    return (await client.listProducts({ ...NEWEST_FIRST, locale })).results;
  } catch (error) {
    if (!isCoded(error, 'invalid', 'not_found')) throw error;
    return [];
  }
}
