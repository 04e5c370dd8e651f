import { Body, Controller, Get, HttpCode, NotFoundException, Param, Post, UseGuards } from '@nestjs/common';
import type { z } from 'zod';
import { Shutdown } from '../runtime/shutdown.js';
import { Connections } from '../connections/connections.js';
import { AdminGuard } from './admin.guard.js';
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
import { Audited } from './audit.interceptor.js';

/** Requests about one store as a whole. */
@Controller('api/v1/stores/:key')
@UseGuards(AdminGuard)
export class StoresController {
  constructor(
    private readonly connections: Connections,
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
    this.#require(key);
    return this.drifts.look(key, this.shutdown.signal, () => undefined);
  }

  @Describe({
    body: 'GenerateRequest',
    summary: 'Request generation of the given products, or of all that have none',
    answer: { name: 'Generated', schema: generateAnswerSchema },
    errors: [404],
  })
  @Post('generate')
  @Allow('admin')
  @Audited('generate')
  @HttpCode(200)
  generate(
    @Param('key') key: string,
    @Body({ schema: generateBodySchema })
    { ids, force }: z.output<typeof generateBodySchema>,
  ): Promise<GenerateAnswer> {
    this.#require(key);
    return this.generation.generate({ store: key, ids, force }, this.shutdown.signal);
  }

  /** The answer's health says whether the store still refuses. */
  @Describe({
    summary: 'Try a paused store now, and wake what waits for it',
    answer: { name: 'Retried', schema: retryAnswerSchema },
    errors: [404],
  })
  @Post('retry')
  @Allow('admin')
  @Audited('store retry')
  @HttpCode(200)
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
  @Post('plans')
  @Allow('admin')
  @Audited('plan save')
  @HttpCode(202)
  async plan(
    @Param('key') key: string,
    @Body({ schema: planBodySchema }) { full }: z.output<typeof planBodySchema>,
  ): Promise<{ id: string }> {
    this.#require(key);
    const { id } = await this.plans.start(key, full);
    return { id };
  }

  #require(key: string): void {
    if (!this.connections.findStore(key))
      throw new NotFoundException(`no store "${key.slice(0, 100)}" is configured`);
  }
}
