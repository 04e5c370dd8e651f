import { Body, Param } from '@nestjs/common';
import { ApiController, Change, Describe, Read } from './api-routes.js';
import type { z } from 'zod';
import { Shutdown } from '../runtime/shutdown.js';
import { DriftOperations, type Drift } from '../operations/drift.js';
import { GenerateOperations, generateBodySchema, type GenerateAnswer } from '../operations/generate.js';
import { planBodySchema, PlanOperations } from '../operations/plans.js';
import { StoreHealthOperations, type RetryAnswer } from '../operations/store-health.js';

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
  @Describe('Live store values against the journal', 'Drift', [404, 502])
  @Read('drift', 'admin')
  drift(@Param('key') key: string): Promise<Drift> {
    return this.drifts.look(key, this.shutdown.signal, () => undefined);
  }

  @Describe('Request generation of the given products, or of all that have none', 'Generated', [404])
  @Change('generate', 'admin', 'generate')
  generate(
    @Param('key') key: string,
    @Body({ schema: generateBodySchema })
    { ids, force }: z.output<typeof generateBodySchema>,
  ): Promise<GenerateAnswer> {
    return this.generation.generate({ store: key, ids, force }, this.shutdown.signal);
  }

  /** The answer's health says whether the store still refuses. */
  @Describe('Try a paused store now, and wake what waits for it', 'Retried', [404])
  @Change('retry', 'admin', 'store retry')
  retry(@Param('key') key: string): Promise<RetryAnswer> {
    return this.health.retry(key);
  }

  /** Plans in the background; the plan itself says when it is saved. */
  @Describe('Make a plan in the background and keep it for review', 'Id', [404])
  @Change('plans', 'admin', 'plan save', 202)
  async plan(
    @Param('key') key: string,
    @Body({ schema: planBodySchema }) { full }: z.output<typeof planBodySchema>,
  ): Promise<{ id: string }> {
    const { id } = await this.plans.start(key, full);
    return { id };
  }
}
