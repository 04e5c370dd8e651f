import { Body, Get, Param } from '@nestjs/common';
import { ApiController, Change } from './api-routes.js';
import type { z } from 'zod';
import { Shutdown } from '../runtime/shutdown.js';
import { Describe } from './describe.js';
import { DriftOperations, driftSchema, type Drift } from '../operations/drift.js';
import {
  GenerateOperations,
  generateAnswerSchema,
  generateBodySchema,
  type GenerateAnswer,
} from '../operations/generate.js';
import { idSchema } from '../operations/paging.js';
import { planBodySchema, PlanOperations } from '../operations/plans.js';
import { retryAnswerSchema, StoreHealthOperations, type RetryAnswer } from '../operations/store-health.js';
import { Allow } from './allow.js';

/** Requests about one store as a whole. */
@ApiController('api/v1/stores/:key')
export class StoresController {
  constructor(
    private readonly drifts: DriftOperations,
    private readonly generation: GenerateOperations,
    private readonly plans: PlanOperations,
    private readonly health: StoreHealthOperations,
    private readonly shutdown: Shutdown,
  ) {}

  /** Reads every linked product of the store: the answer takes as long as that does. */
  @Describe({
    summary: 'Live store values against the journal',
    answer: { name: 'Drift', schema: driftSchema },
    errors: [404, 502, 503],
  })
  @Get('drift')
  @Allow('admin')
  drift(@Param('key') key: string): Promise<Drift> {
    return this.drifts.look(key, this.shutdown.signal, () => undefined);
  }

  @Describe({
    body: 'GenerateRequest',
    summary: 'Request generation of the given products, or of all that have none',
    answer: { name: 'Generated', schema: generateAnswerSchema },
    errors: [404],
  })
  @Change('generate', 'admin', 'generate')
  generate(
    @Param('key') key: string,
    @Body({ schema: generateBodySchema })
    { ids, force }: z.output<typeof generateBodySchema>,
  ): Promise<GenerateAnswer> {
    return this.generation.generate({ store: key, ids, force }, this.shutdown.signal);
  }

  /** The answer's health says whether the store still refuses. */
  @Describe({
    summary: 'Try a paused store now, and wake what waits for it',
    answer: { name: 'Retried', schema: retryAnswerSchema },
    errors: [404],
  })
  @Change('retry', 'admin', 'store retry')
  retry(@Param('key') key: string): Promise<RetryAnswer> {
    return this.health.retry(key);
  }

  /** Plans in the background; the plan itself says when it is saved. */
  @Describe({
    body: 'PlanRequest',
    summary: 'Make a plan in the background and keep it for review',
    answer: { name: 'Id', schema: idSchema },
    errors: [404],
  })
  @Change('plans', 'admin', 'plan save', 202)
  async plan(
    @Param('key') key: string,
    @Body({ schema: planBodySchema }) { full }: z.output<typeof planBodySchema>,
  ): Promise<{ id: string }> {
    const { id } = await this.plans.start(key, full);
    return { id };
  }
}
