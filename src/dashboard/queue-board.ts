import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Queue } from 'bullmq';
import type { NextFunction, Request, Response } from 'express';
import { JOB_QUEUES, type QueueName } from '../queue/index.js';
import { pathTo } from './elements.js';
import { messages } from './messages.js';
import { QUEUE_POLICY, securityHeaders } from './security-headers.js';
import { BOARD_PATH } from './views/queues.js';
import { Sessions } from './session.js';

const PATH = BOARD_PATH;

type EntryRoute = Parameters<ExpressAdapter['setEntryRoute']>[0];

/** A style sheet of another host, such as a service of web fonts. */
const FOREIGN_STYLES = /<link\b[^>]*\bhref="https?:[^>]*>/g;

/** The board without the web fonts of its page: the policy refuses them, and browsers log each refusal as an error. */
class LocalBoard extends ExpressAdapter {
  override setEntryRoute(entry: EntryRoute): this {
    this.app[entry.method](entry.route, (_request: Request, response: Response, next: NextFunction) => {
      const { name, params } = entry.handler({ basePath: this.basePath, uiConfig: this.uiConfig });
      response.render(name, params, (error: Error | null, page: string) => {
        if (error) next(error);
        else response.send(page.replaceAll(FOREIGN_STYLES, ''));
      });
    });
    return this;
  }
}

/**
 * The read-only queue view, behind the same sign-in. Removing or retrying a job by hand would be pointless: the
 * sweeper creates jobs from rows (docs/decisions/0001-rows-before-queues.md).
 */
@Injectable()
export class QueueBoard implements OnModuleInit {
  constructor(
    private readonly http: HttpAdapterHost,
    @Inject(JOB_QUEUES) private readonly queues: ReadonlyMap<QueueName, Queue>,
    private readonly sessions: Sessions,
  ) {}

  onModuleInit(): void {
    const board = new LocalBoard();
    board.setBasePath(PATH);
    createBullBoard({
      queues: [...this.queues.values()].map(
        (queue) => new BullMQAdapter(queue, { readOnlyMode: true, allowRetries: false }),
      ),
      serverAdapter: board,
      options: {
        uiConfig: { boardTitle: 'store-sync queues', miscLinks: [{ text: 'Dashboard', url: '/' }] },
      },
    });
    this.http.httpAdapter.use(
      PATH,
      securityHeaders(() => []),
      this.#onlySignedIn,
      board.getRouter(),
    );
  }

  readonly #onlySignedIn = async (
    request: Request,
    response: Response,
    next: NextFunction,
  ): Promise<void> => {
    if ((await this.sessions.of(request)) === null) {
      response.redirect(303, pathTo('/login', { next: `${PATH}/` }));
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.status(405).set('allow', 'GET, HEAD').send(messages.readOnlyQueues);
      return;
    }
    // It stands in a frame of our own page.
    response.set({ 'content-security-policy': QUEUE_POLICY, 'x-frame-options': 'SAMEORIGIN' });
    next();
  };
}
