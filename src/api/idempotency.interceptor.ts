import {
  BadRequestException,
  ConflictException,
  HttpException,
  Injectable,
  UnprocessableEntityException,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { KeyedRequests, type KeptAnswer } from '../operations/keyed-requests.js';
import { Logger } from '../runtime/logger.js';
import { actorOf } from './allow.js';
import { isOfApi } from './audit-entry.js';

export const IDEMPOTENCY_KEY = 'idempotency-key';
/** Characters that a header can have in every program. */
export const KEY_PATTERN = '^[!-~]{1,255}$';

/** Ends a request with the answer that the first one with its key got. */
export class AnsweredBefore extends HttpException {
  constructor(readonly kept: KeptAnswer) {
    super(kept.answer, kept.status);
  }
}

/**
 * Makes a request of the API with an `Idempotency-Key` safe to repeat. It runs after the guards: only a holder of the role gets the answer.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly requests: KeyedRequests,
    private readonly log: Logger,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const key = request.get(IDEMPOTENCY_KEY);
    const actor = actorOf(request);
    if (key === undefined || actor === null || !isOfApi(request)) return next.handle();
    if (!new RegExp(KEY_PATTERN).test(key))
      throw new BadRequestException(`${IDEMPOTENCY_KEY}: 1 to 255 visible ASCII characters`);
    const mine = { actor: actor.name, key };
    const { method, originalUrl } = request;
    const begun = await this.requests.begin(mine, [method, originalUrl, request.body]);
    if (begun === 'another')
      throw new UnprocessableEntityException(
        `${IDEMPOTENCY_KEY}: this key belongs to another request; use a new one`,
      );
    const response = http.getResponse<Response>();
    if (begun === 'under_way') {
      response.set('retry-after', '1');
      throw new ConflictException({
        message: `${IDEMPOTENCY_KEY}: the request with this key is under way; ask again for its answer`,
        code: 'under_way',
      });
    }
    if (begun !== 'first') throw new AnsweredBefore(begun);
    this.#keepAnswer(response, mine);
    return next.handle();
  }

  /** Stores the answer, also an error, before it is sent. A client that has received it can then repeat the request safely. */
  #keepAnswer(response: Response, key: Parameters<KeyedRequests['end']>[0]): void {
    const send = response.send.bind(response);
    response.send = (body?: unknown): Response => {
      response.send = send;
      const answer = typeof body === 'string' ? body : '';
      void this.requests
        .end(key, { status: response.statusCode, answer })
        .catch((error: unknown) => {
          this.log.error(
            { err: error, stage: 'api' },
            'the answer of a request with a key could not be kept',
          );
        })
        .then(() => send(body));
      return response;
    };
  }
}
