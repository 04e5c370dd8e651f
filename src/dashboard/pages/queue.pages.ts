import { Controller, Get, Inject, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { Request, Response } from 'express';
import { Allow } from '../../api/allow.js';
import { JOB_QUEUES, type QueueName } from '../../queue/index.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { JOB_STATES, queuesPage } from '../views/queues.js';

/** The queues, with the header of every page around the read-only board. */
@Controller('queues')
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class QueuePages {
  constructor(
    private readonly sessions: Sessions,
    @Inject(JOB_QUEUES) private readonly queues: ReadonlyMap<QueueName, Queue>,
  ) {}

  @Get()
  @Allow('viewer')
  async show(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    const counts = await Promise.all(
      [...this.queues.values()].map(async (queue) => ({
        name: queue.name,
        counts: await queue.getJobCounts(...JOB_STATES),
      })),
    );
    return queuesPage(visitorOf(this.sessions, request, response), counts);
  }
}
