import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  NO_SUCH_WORKSPACE,
  readSignatureClaim,
  SIGNATURE_REFUSED,
  verifyWebhookSignature,
} from '../catalog/webhook-signature.js';
import { errorLine } from '../domain/errors.js';
import { Metrics, UNKNOWN_NAME } from '../observability/metrics/metrics.js';
import { Inbox } from '../persistence/inbox.js';
import { JobProducer } from '../queue/index.js';
import { killPoint } from '../runtime/kill-point.js';
import { Logger } from '../runtime/logger.js';
import { Connections, type Workspace } from '../connections/connections.js';
import { Clock } from '../runtime/clock.js';
import { traced } from '../observability/tracing/tracing.js';
import { ByteBudget } from './byte-budget.js';
import { dedupeKey } from './dedupe-key.js';
import { withRawBody } from './raw-body.js';
import { askToRepeat, refuse, reply } from './reply.js';

const TIMESTAMP = 'x-webhook-timestamp';
const SIGNATURE = 'x-webhook-signature';

/**
 * Receives the catalog service's deliveries. Nothing happens here but the check of the signature and one insert: a 4xx is
 * final to the sender (docs/decisions/0008-a-4xx-is-final.md), so whatever may succeed later gets a 503. The body is read only when the workspace exists and the
 * headers can be those of a genuine delivery.
 */
@Controller('webhooks/catalog')
export class CatalogWebhookController {
  readonly #log: Logger;

  constructor(
    private readonly connections: Connections,
    private readonly inbox: Inbox,
    private readonly jobs: JobProducer,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    private readonly budget: ByteBudget,
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
    // A workspace name from an unknown caller is not used as a label.
    const workspace = this.connections.workspace(key) ? key : UNKNOWN_NAME;
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
    const workspace = this.connections.workspace(key);
    if (!workspace) {
      refuse(request, response, 404, NO_SUCH_WORKSPACE);
      return 'unknown_workspace';
    }
    if (secretsOf(workspace).length === 0)
      return this.#refuse(workspace, request, response, 'webhook.hmacSecret is not set');
    const claim = readSignatureClaim(signatureOf(request));
    if (!claim.ok) return this.#refuse(workspace, request, response, claim.reason);
    const { budget } = this;
    const taking = { budget, log: this.#log, to: { workspace: key }, what: 'a delivery' };
    return withRawBody({ request, response }, taking, async (bytes) => {
      const refusal = this.#refusal(workspace, request, bytes);
      if (refusal !== null) return this.#refuse(workspace, request, response, refusal);
      return this.#store(workspace, request, bytes, response);
    });
  }

  #refuse(workspace: Workspace, request: Request, response: Response, reason: string): 'refused' {
    const { ip: address } = request;
    this.#log.warn({ workspace: workspace.key, address, reason }, 'a delivery was refused');
    refuse(request, response, 401, SIGNATURE_REFUSED);
    return 'refused';
  }

  /** Why the delivery is not genuine, for the log alone; null when it is. */
  #refusal(workspace: Workspace, request: Request, rawBody: Buffer): string | null {
    const result = verifyWebhookSignature(
      { rawBody, ...signatureOf(request) },
      {
        secrets: secretsOf(workspace),
        now: this.clock.now(),
        toleranceSeconds: workspace.settings.webhook.toleranceSeconds,
      },
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
      // Only at debug: the row and the metric show the delivery too, and writing the line is a tenth of its cost.
      this.#log.debug({ deliveryId: id, workspace: workspace.key, action }, 'delivery received');
      // Enqueued after the answer. When the job is lost, the next sweep finds the row.
      this.jobs.wake('deliveries', id);
      return 'stored';
    } catch (error) {
      this.#log.warn(
        { workspace: workspace.key, err: errorLine(error) },
        'a delivery could not be stored; the sender is asked to repeat it',
      );
      askToRepeat(response);
      return 'unavailable';
    }
  }
}

/** Without a secret no delivery can be verified: none is taken, and polling brings the results. */
function secretsOf({ settings }: Workspace): string[] {
  const { hmacSecret, previousHmacSecret } = settings.webhook;
  return [hmacSecret, previousHmacSecret].filter((secret) => secret !== undefined);
}

function signatureOf({ headers }: Request) {
  return { timestamp: headers[TIMESTAMP], signature: headers[SIGNATURE] };
}

/** Headers that may be useful later. The signature is not kept, because it could be replayed with its delivery. */
function keptHeaders(request: Request): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ['content-type', 'user-agent', TIMESTAMP]) {
    const value = request.headers[name];
    if (typeof value === 'string') kept[name] = value.slice(0, 500);
  }
  return kept;
}
