import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SIGNATURE_REFUSED, verifyWebhookSignature } from '../catalog/webhook-signature.js';
import { errorLine } from '../domain/errors.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { Inbox } from '../persistence/inbox.js';
import { DeliveryPacer } from '../queue/index.js';
import { killPoint } from '../runtime/kill-point.js';
import { Logger } from '../runtime/logger.js';
import { Sites, type Workspace } from '../sites/sites.js';
import { Clock } from '../runtime/clock.js';
import { traced } from '../observability/tracing/tracing.js';
import { dedupeKey } from './dedupe-key.js';
import { readRawBody } from './raw-body.js';
import { reply } from './reply.js';

const TIMESTAMP = 'x-webhook-timestamp';
const SIGNATURE = 'x-webhook-signature';

/**
 * Receipt of the catalog service's deliveries (docs/catalog-rules.md#delivery, docs/http.md). Nothing happens here
 * but the check of the signature and one insert: a 4xx is final to the sender, so whatever may succeed later gets a 503.
 */
@Controller('webhooks/catalog')
export class CatalogWebhookController {
  readonly #log: Logger;

  constructor(
    private readonly sites: Sites,
    private readonly inbox: Inbox,
    private readonly pacer: DeliveryPacer,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'webhooks' });
  }

  @Post(':workspace')
  async receive(
    @Param('workspace') key: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const done = this.metrics.ackSeconds.startTimer();
    // What a stranger writes into the path is no label.
    const workspace = this.sites.workspace(key) ? key : 'unknown';
    const outcome = await traced(
      'receive delivery',
      { workspace },
      async (span) => {
        const answered = await this.#receive(key, request, response);
        span.note({ outcome: answered, 'http.response.status_code': response.statusCode });
        return answered;
      },
      'server',
    );
    done();
    this.metrics.deliveries.inc({ workspace, outcome });
  }

  async #receive(key: string, request: Request, response: Response): Promise<string> {
    const body = await readRawBody(request);
    if (body.kind === 'broken_off') return 'broken_off';
    const workspace = this.sites.workspace(key);
    if (!workspace) {
      reply(response, 404, 'no such workspace');
      return 'unknown_workspace';
    }
    if (body.kind === 'too_large') {
      this.#log.warn({ workspace: key }, 'a delivery over 10 MB was refused; polling brings its result');
      reply(response, 413, 'a delivery may have 10 MB at most');
      return 'too_large';
    }
    const refusal = this.#refusal(workspace, request, body.bytes);
    if (refusal !== null) {
      this.#log.warn({ workspace: key, reason: refusal }, 'a delivery was refused');
      reply(response, 401, SIGNATURE_REFUSED);
      return 'refused';
    }
    return this.#store(workspace, request, body.bytes, response);
  }

  /** Why the delivery is not genuine, for the log alone; null when it is. Without a secret nobody can tell, and polling serves. */
  #refusal(workspace: Workspace, request: Request, rawBody: Buffer): string | null {
    const { hmacSecret, previousHmacSecret, toleranceSeconds } = workspace.settings.webhook;
    const secrets = [hmacSecret, previousHmacSecret].filter((secret) => secret !== undefined);
    if (secrets.length === 0) return 'webhook.hmacSecret is not set';
    const result = verifyWebhookSignature(
      { rawBody, timestamp: request.headers[TIMESTAMP], signature: request.headers[SIGNATURE] },
      { secrets, now: this.clock.now(), toleranceSeconds },
    );
    return result.ok ? null : result.reason;
  }

  async #store(workspace: Workspace, request: Request, rawBody: Buffer, response: Response): Promise<string> {
    const { key: dedupe, action } = dedupeKey(rawBody);
    killPoint('receive.read');
    try {
      const id = await this.inbox.store({
        workspace: workspace.key,
        dedupeKey: dedupe,
        via: 'webhook',
        headers: keptHeaders(request),
        rawBody,
        action,
      });
      killPoint('receive.committed');
      reply(response, 200, id === null ? 'stored before' : 'stored');
      if (id === null) return 'duplicate';
      killPoint('receive.acked');
      this.#log.info({ deliveryId: id, workspace: workspace.key, action }, 'delivery received');
      // After the answer: when the job is lost, the next sweep finds the row.
      this.pacer.add(id);
      return 'stored';
    } catch (error) {
      this.#log.warn(
        { workspace: workspace.key, err: errorLine(error) },
        'a delivery could not be stored; the sender is asked to repeat it',
      );
      response.setHeader('Retry-After', '5');
      reply(response, 503, 'cannot be stored at present');
      return 'unavailable';
    }
  }
}

/** What may be of use to a reader later; the signature is not kept, being worth as much as the secret for its delivery. */
function keptHeaders(request: Request): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ['content-type', 'user-agent', TIMESTAMP]) {
    const value = request.headers[name];
    if (typeof value === 'string') kept[name] = value.slice(0, 500);
  }
  return kept;
}
