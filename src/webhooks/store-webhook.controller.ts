import { createHash, randomBytes } from 'node:crypto';
import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { errorLine } from '../domain/errors.js';
import { Metrics, UNKNOWN_NAME } from '../observability/metrics/metrics.js';
import { Inbox } from '../persistence/inbox.js';
import { StoreHealthRepository } from '../persistence/store-health.repository.js';
import { StoreInstallationRepository } from '../persistence/store-installation.repository.js';
import { Logger } from '../runtime/logger.js';
import { Connections } from '../connections/connections.js';
import {
  hasShopifySignatureForm,
  isShopifySignature,
  isUninstallOf,
  productOfEvent,
} from '../store/events.js';
import { ByteBudget } from './byte-budget.js';
import { readRawBody } from './raw-body.js';
import { askToRepeat, refuse, refuseForNow, reply } from './reply.js';

const SIGNATURE = 'x-shopify-hmac-sha256';
const TOPIC = 'x-shopify-topic';
/** When the event happened, which may be long before a retry of it. It is not signed. */
const TRIGGERED_AT = 'x-shopify-triggered-at';

const UNINSTALLED = 'the merchant uninstalled the app: the store is paused until it is installed again';

interface UninstallEvent {
  readonly bodySha256: Buffer;
  readonly at: Date | null;
}
/** In place of the secret of a store that does not exist, or has none. */
const NOBODYS_SECRET = randomBytes(32).toString('hex');

/**
 * Receives a store's own events. The product that an event names is owed, and an incremental run reads it later. The signature covers the
 * body alone, not the event's id and topic: an event that is sent again has its product read once more.
 */
@Controller('webhooks/shopify')
export class StoreWebhookController {
  readonly #log: Logger;

  constructor(
    private readonly connections: Connections,
    private readonly inbox: Inbox,
    private readonly installations: StoreInstallationRepository,
    private readonly health: StoreHealthRepository,
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
    const secret = store?.settings.webhookSecret;
    const wrong = store === undefined ? 'no such store' : 'webhookSecret is not set';
    const signature = request.headers[SIGNATURE];
    if (typeof signature !== 'string' || !hasShopifySignatureForm(signature))
      return this.#refuse(key, request, response, 'the signature is missing or malformed');
    const body = await readRawBody(request, this.budget);
    switch (body.kind) {
      case 'broken_off':
        return 'broken_off';
      case 'too_large':
        this.#log.warn({ store: key, address: request.ip }, 'a store event over 10 MB was refused');
        refuse(request, response, 413, 'an event may have 10 MB at most');
        return 'too_large';
      case 'no_room':
        this.#log.warn({ store: key }, 'store event postponed: the memory for requests is used up');
        refuseForNow(request, response);
        return 'no_room';
      case 'body':
        try {
          if (!isShopifySignature(body.bytes, signature, [secret ?? NOBODYS_SECRET]))
            return this.#refuse(
              key,
              request,
              response,
              secret === undefined ? wrong : 'the signature is wrong',
            );
          return await this.#store(key, request, body.bytes, response);
        } finally {
          body.holding.release();
        }
    }
  }

  /** Forgets the tokens of a store whose merchant uninstalled the app, and pauses it. A late or replayed event does nothing. */
  async #uninstalled(shop: string, key: string, event: UninstallEvent): Promise<void> {
    if (!(await this.installations.forget(shop, key, event))) return;
    await this.health.pause(key, {
      scope: 'everything',
      code: 'credentials_refused',
      reason: UNINSTALLED,
    });
    this.#log.warn({ store: key }, UNINSTALLED);
  }

  #refuse(store: string, request: Request, response: Response, reason: string): 'refused' {
    this.#log.warn({ store, address: request.ip, reason }, 'a store event was refused');
    refuse(request, response, 401, 'signature missing or wrong');
    return 'refused';
  }

  async #store(store: string, request: Request, rawBody: Buffer, response: Response): Promise<string> {
    const header = request.headers[TOPIC];
    const topic = typeof header === 'string' ? header.slice(0, 100) : 'unknown';
    const shop = this.connections.findStore(store)?.settings.shop;
    const product = shop === undefined ? null : productOfEvent(shop, rawBody);
    try {
      if (shop !== undefined && isUninstallOf(shop, topic, rawBody)) {
        const bodySha256 = createHash('sha256').update(rawBody).digest();
        await this.#uninstalled(shop, store, { bodySha256, at: triggeredAt(request) });
      } else if (product !== null) {
        await this.inbox.announce({ store, ...product });
      } else {
        // Anything else that carries a signature of the secret was signed for another purpose, and starts no run.
        this.#log.warn(
          { store, topic },
          'a signed store event names neither a product nor the shop; it is ignored',
        );
        reply(response, 200, 'ignored');
        return 'ignored';
      }
      reply(response, 200, 'stored');
      return 'stored';
    } catch (error) {
      this.#log.warn(
        { store, err: errorLine(error) },
        'a store event could not be stored; the store is asked to repeat it',
      );
      askToRepeat(response);
      return 'unavailable';
    }
  }
}

function triggeredAt({ headers }: Request): Date | null {
  const text = headers[TRIGGERED_AT];
  const at = typeof text === 'string' ? new Date(text) : null;
  return at === null || Number.isNaN(at.getTime()) ? null : at;
}
