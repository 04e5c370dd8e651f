import { Controller, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ConfigSource } from '../config/index.js';
import { errorLine } from '../domain/errors.js';
import { ShopRedactionRepository } from '../persistence/shop-redaction.repository.js';
import { Logger } from '../runtime/logger.js';
import { appEventOf, APP_EVENTS, isAppSignature, mayBeAppSignature } from '../store/installs.js';
import { ByteBudget } from './byte-budget.js';
import { withRawBody } from './raw-body.js';
import { askToRepeat, refuse, reply } from './reply.js';

const NOTHING_TO_ERASE = 'nothing to erase';
/** The effect of a request to erase a shop, for the log. */
const REDACTIONS = {
  erase: {
    log: 'the store asked to erase a shop: its installation is forgotten, and its rows follow',
    answer: 'to be erased',
  },
  check: {
    log: 'the store asked to erase a shop that counts as installed: the shop is asked first',
    answer: `${NOTHING_TO_ERASE} while the app is installed; this is checked`,
  },
  none: {
    log: 'the store asked to erase a shop that is unknown, or configured in a file: nothing is erased',
    answer: NOTHING_TO_ERASE,
  },
} as const;

/**
 * The requests about data of customers and shops that a platform sends to each app that merchants install. There is one address for all
 * shops of the app.
 */
@Controller(APP_EVENTS)
export class ComplianceWebhookController {
  readonly #log: Logger;

  constructor(
    private readonly source: ConfigSource,
    private readonly redactions: ShopRedactionRepository,
    private readonly budget: ByteBudget,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'webhooks' });
  }

  @Post()
  async receive(@Req() request: Request, @Res() response: Response): Promise<void> {
    const secrets = this.#secrets();
    if (secrets.length === 0) {
      refuse(request, response, 404, 'no such store');
      return;
    }
    if (!mayBeAppSignature(request.headers)) {
      this.#refuse(request, response, 'the signature is missing or malformed');
      return;
    }
    const to = { address: request.ip };
    const taking = { budget: this.budget, log: this.#log, to, what: 'a store event' };
    await withRawBody({ request, response }, taking, async (bytes) => {
      if (isAppSignature(request.headers, bytes, secrets)) await this.#take(request, bytes, response);
      else this.#refuse(request, response, 'the signature is wrong');
    });
  }

  /** The secrets that the app of the template signs with. */
  #secrets(): string[] {
    const { storeTemplate: template } = this.source.current;
    return [template?.webhookSecret, template?.auth.clientSecret].flatMap((secret) => secret ?? []);
  }

  #refuse(request: Request, response: Response, reason: string): void {
    this.#log.warn({ address: request.ip, reason }, 'a store event was refused');
    refuse(request, response, 401, 'signature missing or wrong');
  }

  /** A body about a customer has personal data, so that only its topic and its shop are logged. */
  async #take(request: Request, rawBody: Buffer, response: Response): Promise<void> {
    const event = appEventOf(request.headers, rawBody);
    if (event === null) {
      this.#log.warn(
        { address: request.ip },
        'the store sent a signed request of an unknown topic; it is ignored',
      );
      reply(response, 200, 'ignored');
      return;
    }
    try {
      if (event.topic !== 'shop/redact') {
        this.#log.info(event, 'the store asked about a customer: no data of customers is kept');
        reply(response, 200, NOTHING_TO_ERASE);
        return;
      }
      const isConfigured = Object.values(this.source.current.stores).some(({ shop }) => shop === event.shop);
      const kept = isConfigured ? 'none' : await this.redactions.request(event.shop);
      this.#log.info(event, REDACTIONS[kept].log);
      reply(response, 200, REDACTIONS[kept].answer);
    } catch (error) {
      this.#log.warn(
        { shop: event.shop, err: errorLine(error) },
        'a store event could not be stored; the store is asked to repeat it',
      );
      askToRepeat(response);
    }
  }
}
