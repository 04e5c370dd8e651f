import { createHash } from 'node:crypto';
import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { errorLine } from '../domain/errors.js';
import { Inbox } from '../persistence/inbox.js';
import { Logger } from '../runtime/logger.js';
import { Sites } from '../sites/sites.js';
import { hasShopifySignatureForm, isShopifySignature, keptOfEvent } from '../store/index.js';
import { ByteBudget } from './byte-budget.js';
import { readRawBody } from './raw-body.js';
import { refuse, reply } from './reply.js';

const SIGNATURE = 'x-shopify-hmac-sha256';
const EVENT_ID = 'x-shopify-webhook-id';
const TOPIC = 'x-shopify-topic';
const SIGNATURE_REFUSED = 'signature missing or wrong';

/** Receives a store's own events. They are stored, and an incremental run reads the changes later. */
@Controller('webhooks/shopify')
export class StoreWebhookController {
  readonly #log: Logger;

  constructor(
    private readonly sites: Sites,
    private readonly inbox: Inbox,
    private readonly budget: ByteBudget,
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
    const store = this.sites.findStore(key);
    if (!store) {
      refuse(request, response, 404, 'no such store');
      return;
    }
    const secret = store.settings.webhookSecret;
    const signature = request.headers[SIGNATURE];
    if (secret === undefined || typeof signature !== 'string' || !hasShopifySignatureForm(signature)) {
      refuse(request, response, 401, SIGNATURE_REFUSED);
      return;
    }
    const body = await readRawBody(request, this.budget);
    switch (body.kind) {
      case 'broken_off':
        return;
      case 'too_large':
        refuse(request, response, 413, 'an event may have 10 MB at most');
        return;
      case 'no_room':
        response.setHeader('Retry-After', '5');
        refuse(request, response, 503, 'too much is being received at present');
        return;
      case 'body':
        try {
          if (isShopifySignature(body.bytes, signature, [secret]))
            await this.#store(key, request, body.bytes, response);
          else refuse(request, response, 401, SIGNATURE_REFUSED);
        } finally {
          body.holding.release();
        }
    }
  }

  async #store(store: string, request: Request, rawBody: Buffer, response: Response): Promise<void> {
    const eventId = request.headers[EVENT_ID];
    const topic = request.headers[TOPIC];
    try {
      await this.inbox.storeEvent({
        store,
        eventId:
          typeof eventId === 'string' && eventId !== ''
            ? eventId.slice(0, 200)
            : createHash('sha256').update(rawBody).digest('hex'),
        topic: typeof topic === 'string' ? topic.slice(0, 100) : 'unknown',
        headers: {},
        rawBody: keptOfEvent(rawBody),
      });
      reply(response, 200, 'stored');
    } catch (error) {
      this.#log.warn(
        { store, err: errorLine(error) },
        'a store event could not be stored; the store is asked to repeat it',
      );
      response.setHeader('Retry-After', '5');
      reply(response, 503, 'cannot be stored at present');
    }
  }
}
