import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CodedError } from '../domain/errors.js';
import { parseExternalId, productExternalId } from '../domain/external-id.js';
import type { StoreProductEntity } from '../persistence/entities/index.js';
import { HistoryRepository } from '../persistence/history.repository.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { TaskRepository } from '../persistence/task.repository.js';
import { Connections, type Store } from '../connections/connections.js';
import { GenerationRequester } from '../sync/generation.js';

export const generateBodySchema = z.strictObject({
  /** external_ids, SKUs, barcodes or handles; empty: all products without content. */
  ids: z.array(z.string().min(1).max(300)).max(10_000).default([]),
  force: z.boolean().default(false).describe('also products whose generation succeeded'),
});

export const generateAnswerSchema = z.object({
  store: z.string(),
  requested: z.int(),
  /** Named products without a request, each with the reason. */
  passedOver: z.array(z.object({ externalId: z.string(), reason: z.string() })),
  /** The reason why the requests stopped early; null when they did not. */
  stopped: z.string().nullable(),
});
export type GenerateAnswer = z.output<typeof generateAnswerSchema>;

export interface GenerateRequest {
  readonly store: string;
  readonly ids: readonly string[];
  readonly force: boolean;
}

const BATCH = 500;

/**
 * Generation by command (docs/decisions/0013-unknown-outcome-is-not-repeated.md). Open tasks are not repeated, and
 * the limits apply.
 */
@Injectable()
export class GenerateOperations {
  constructor(
    private readonly connections: Connections,
    private readonly links: LinkRepository,
    private readonly tasks: TaskRepository,
    private readonly history: HistoryRepository,
    private readonly requester: GenerationRequester,
  ) {}

  /**
   * Throws `not_found` for an unknown store, and with all unknown products before anything is requested.
   */
  async generate(request: GenerateRequest, signal: AbortSignal): Promise<GenerateAnswer> {
    const store = this.connections.namedStore(request.store);
    return request.ids.length === 0
      ? this.#all(store, request.force, signal)
      : this.#given(store, request.ids, request.force, signal);
  }

  async #all(store: Store, force: boolean, signal: AbortSignal): Promise<GenerateAnswer> {
    const most = store.workspace.settings.generation.maxPerRun;
    const products: StoreProductEntity[] = [];
    for (let after = ''; products.length <= most;) {
      const batch = await this.history.toGenerate(store.key, force, after, BATCH);
      products.push(...batch);
      if (batch.length < BATCH) break;
      after = batch.at(-1)?.externalId ?? after;
    }
    return this.#request(store, products, [], signal);
  }

  async #given(
    store: Store,
    ids: readonly string[],
    force: boolean,
    signal: AbortSignal,
  ): Promise<GenerateAnswer> {
    const products = await this.#products(store, ids);
    const passedOver: GenerateAnswer['passedOver'] = [];
    const wanted: StoreProductEntity[] = [];
    for (const product of products) {
      const reason = await this.#obstacle(product, force);
      if (reason === null) wanted.push(product);
      else passedOver.push({ externalId: product.externalId, reason });
    }
    return this.#request(store, wanted, passedOver, signal);
  }

  async #request(
    store: Store,
    products: readonly StoreProductEntity[],
    passedOver: GenerateAnswer['passedOver'],
    signal: AbortSignal,
  ): Promise<GenerateAnswer> {
    const { requested, stopped } = await this.requester.requestGiven(store, products, signal);
    return { store: store.key, requested, passedOver, stopped };
  }

  async #products(store: Store, ids: readonly string[]): Promise<StoreProductEntity[]> {
    const found = new Map<string, StoreProductEntity>();
    const unknown: string[] = [];
    for (const id of ids) {
      const ref = parseExternalId(id);
      const names =
        ref === null
          ? await this.history.productsNamed(id, store.key)
          : [productExternalId(ref.store, ref.productId)];
      const links = await Promise.all(names.map((name) => this.links.get(name)));
      const own = links.filter((link) => link?.store === store.key).filter((link) => link !== null);
      if (own.length === 0) unknown.push(id);
      for (const link of own) found.set(link.externalId, link);
    }
    if (unknown.length > 0) {
      throw new CodedError('not_found', `store ${store.key} has no linked product ${unknown.join(', ')}`);
    }
    return [...found.values()];
  }

  /** The reason why a product is skipped, for people; null when it is not. */
  async #obstacle(product: StoreProductEntity, force: boolean): Promise<string | null> {
    if (product.catalogId === null || product.state === 'pending')
      return 'the catalog has not created it yet';
    if (product.state === 'orphaned') return 'its source is gone from the store';
    const newest = await this.tasks.newest(product.externalId);
    if (newest?.state === 'requested') return 'it was asked for already, and the result is awaited';
    if (newest?.state === 'succeeded' && !product.generationDue && !force)
      return 'its generation succeeded (--force asks again)';
    return null;
  }
}
