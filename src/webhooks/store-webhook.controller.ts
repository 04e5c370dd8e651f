import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { errorLine } from '../domain/errors.js';
import { parseExternalId, productExternalId, shopIdentity } from '../domain/external-id.js';
import type { StoreEvents } from '../domain/store-port.js';
import { Metrics, UNKNOWN_NAME } from '../observability/metrics/metrics.js';
import { Inbox } from '../persistence/inbox.js';
import { ShopIdentityRepository } from '../persistence/shop-identity.repository.js';
import { StoreInstallationRepository } from '../persistence/store-installation.repository.js';
import { Logger } from '../runtime/logger.js';
import { Connections, type Store } from '../connections/connections.js';
import { createStoreEvents, STORE_KINDS } from '../store/events.js';
import { ByteBudget } from './byte-budget.js';
import { withRawBody } from './raw-body.js';
import { askToRepeat, refuse, reply } from './reply.js';

/**
 * Receives a store's own events. The product that an event names is owed, and an incremental run reads it later. The signature covers the
 * body alone, not the event's id and topic: an event that is sent again has its product read once more.
 */
@Controller(STORE_KINDS.map((kind) => `webhooks/${kind}`))
export class StoreWebhookController {
  readonly #log: Logger;

  constructor(
    private readonly connections: Connections,
    private readonly inbox: Inbox,
    private readonly installations: StoreInstallationRepository,
    private readonly identities: ShopIdentityRepository,
    private readonly budget: ByteBudget,
    private readonly metrics: Metrics,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'webhooks' });
  }

  @Post(':store')
  async receive(
    @Param('store') key: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    // A store name from an unknown caller is not used as a label.
    const store = this.connections.findStore(key) ? key : UNKNOWN_NAME;
    const outcome = await this.#receive(key, request, response);
    this.metrics.storeEvents.inc({ store: store, outcome });
  }

  async #receive(key: string, request: Request, response: Response): Promise<string> {
    // A store that does not exist is answered like a wrong signature: another answer would tell who has the app.
    const store = this.connections.findStore(key);
    const kind = kindOf(request);
    const events = createStoreEvents(kind, store?.settings ?? null);
    const refuseFor = (reason: string): 'refused' => this.#refuse(key, request, response, reason);
    if (!events.mayVerify(request.headers)) return refuseFor('the signature is missing or malformed');
    const to = { store: key, address: request.ip };
    const taking = { budget: this.budget, log: this.#log, to, what: 'a store event' };
    return withRawBody({ request, response }, taking, async (rawBody) => {
      switch (events.verify(request.headers, rawBody)) {
        case 'forged':
          if (store?.settings.kind !== kind) return refuseFor('no such store');
          return refuseFor(
            store.settings.webhookSecret === undefined
              ? 'webhookSecret is not set'
              : 'the signature is wrong',
          );
        case 'greeting':
          reply(response, 200, 'ignored');
          return 'ignored';
        case 'signed':
          // Nothing is signed for a store that does not exist.
          if (store === undefined) return refuseFor('no such store');
          return this.#store(store, { events, headers: request.headers, rawBody }, response);
      }
    });
  }

  /** The event may be a late retry or a replay, and its time is not signed: the schedule asks the store before anything is forgotten. */
  async #uninstalled(shop: string, key: string): Promise<void> {
    if (await this.installations.toldUninstall(shop))
      this.#log.info({ store: key }, 'an event says that the app was uninstalled; the store is asked');
  }

  #refuse(store: string, request: Request, response: Response, reason: string): 'refused' {
    this.#log.warn({ store, address: request.ip, reason }, 'a store event was refused');
    refuse(request, response, 401, 'signature missing or wrong');
    return 'refused';
  }

  /** A shop that no run has read yet is read as a whole by the first one. */
  async #announce(store: Store, storeIds: readonly string[]): Promise<void> {
    const identity = store.identity ?? (await this.#metIdentity(store));
    if (identity === null) return;
    for (const storeId of storeIds) {
      const externalId = productExternalId(identity, storeId.split('/').at(-1) ?? '');
      if (parseExternalId(externalId) !== null)
        await this.inbox.announce({ store: store.key, externalId, storeId });
    }
  }

  async #metIdentity({ key, settings }: Store): Promise<string | null> {
    const shop = await this.identities.of(key).read();
    return shop === null ? null : shopIdentity(settings.kind, shop.id);
  }

  async #store(store: Store, { events, headers, rawBody }: SignedEvent, response: Response): Promise<string> {
    const { topic, uninstalls } = events.about(headers, rawBody);
    const products = events.products(rawBody);
    try {
      if (uninstalls) {
        await this.#uninstalled(store.settings.shop, store.key);
      } else if (products.length > 0) {
        await this.#announce(store, products);
      } else {
        // Anything else that carries a signature of the secret was signed for another purpose, and starts no run.
        this.#log.warn(
          { store: store.key, topic: topic.slice(0, 100) },
          'a signed store event names neither a product nor the shop; it is ignored',
        );
        reply(response, 200, 'ignored');
        return 'ignored';
      }
      reply(response, 200, 'stored');
      return 'stored';
    } catch (error) {
      this.#log.warn(
        { store: store.key, err: errorLine(error) },
        'a store event could not be stored; the store is asked to repeat it',
      );
      askToRepeat(response);
      return 'unavailable';
    }
  }
}

interface SignedEvent {
  readonly events: StoreEvents;
  readonly headers: Request['headers'];
  readonly rawBody: Buffer;
}

/** The kind of store in the route. */
function kindOf({ path }: Request): string {
  return STORE_KINDS.find((kind) => path.toLowerCase().startsWith(`/webhooks/${kind}/`)) ?? STORE_KINDS[0];
}
