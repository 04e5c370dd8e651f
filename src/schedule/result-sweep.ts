import type { CatalogProduct } from '../catalog/schemas.js';
import { fingerprint } from '../domain/fingerprint.js';
import type { DeliveryRepository } from '../persistence/delivery.repository.js';
import type { StoreProductEntity } from '../persistence/entities/index.js';
import type { LinkRepository } from '../persistence/link.repository.js';
import type { TaskRepository } from '../persistence/task.repository.js';
import { catalogFields } from '../planner/catalog-content.js';
import type { Clock } from '../runtime/clock.js';
import type { Workspace } from '../sites/sites.js';
import type { NewContent } from './new-content.js';

/** Products of one round at most: a bulk generation elsewhere takes several rounds. */
const ROUND_MOST = 500;
const AFTER_FAULT_MS = 3_600_000;
const NEWEST_FIRST = { tasks: 'success', orderBy: 'task', sorting: 'desc' } as const;

/**
 * Finds results without a request from here and without a delivery. A person may have generated in the service, the
 * service does not notify twice, or the webhook slot belongs to another system. Looks at the newest page of generated
 * products, and further only while there is something new. Each one becomes a delivery in the inbox.
 */
export class ResultSweep {
  readonly #nextAtMs = new Map<string, number>();

  constructor(
    private readonly tasks: TaskRepository,
    private readonly links: LinkRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly newContent: NewContent,
    private readonly clock: Clock,
  ) {}

  /** One round over the workspaces that are due; returns the ids of the deliveries made. A fault rests its workspace for an hour. */
  async round(workspaces: readonly Workspace[]): Promise<string[]> {
    const ids: string[] = [];
    for (const workspace of workspaces) {
      const nowMs = this.clock.now().getTime();
      if (nowMs < (this.#nextAtMs.get(workspace.key) ?? 0)) continue;
      this.#nextAtMs.set(workspace.key, nowMs + AFTER_FAULT_MS);
      ids.push(...(await this.#look(workspace)));
      this.#nextAtMs.set(workspace.key, nowMs + workspace.settings.tasks.pollSeconds * 1000);
    }
    return ids;
  }

  async #look(workspace: Workspace): Promise<string[]> {
    const ids: string[] = [];
    let met = 0;
    for await (const { results } of workspace.client.productPages(NEWEST_FIRST)) {
      const found = await this.#deliverNew(workspace, results);
      ids.push(...found);
      met += results.length;
      if (found.length === 0 || met >= ROUND_MOST) return ids;
    }
    return ids;
  }

  async #deliverNew(workspace: Workspace, products: readonly CatalogProduct[]): Promise<string[]> {
    const links = await this.links.byCatalogIds(
      workspace.key,
      products.map(({ id }) => String(id)),
    );
    const byCatalogId = new Map(links.map((link) => [link.catalogId, link]));
    const ids: string[] = [];
    for (const product of products) {
      const link = byCatalogId.get(String(product.id));
      const id = link === undefined ? null : await this.#deliver(workspace, link, product);
      if (id !== null) ids.push(id);
    }
    return ids;
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
    const { id, isNew } = await this.deliveries.receive({
      workspace: workspace.key,
      dedupeKey: `sweep:${String(product.id)}:${fingerprint(catalogFields(product))}`,
      via: 'poll',
      headers: {},
      rawBody: Buffer.from(JSON.stringify({ action: 'product_generated', status: 'SUCCESS', product })),
      action: 'product_generated',
    });
    return isNew ? id : null;
  }
}
