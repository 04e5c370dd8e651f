import { Get, Param, Query } from '@nestjs/common';
import { ApiController, Change } from './api-routes.js';
import type { z } from 'zod';
import { Describe } from './describe.js';
import type { Page } from '../operations/paging.js';
import {
  appliedPlanSchema,
  planEntriesQuerySchema,
  planEntryPageSchema,
  PlanOperations,
  planPageSchema,
  planSchema,
  planQuerySchema,
  type PlanEntry,
  type PresentedPlan,
} from '../operations/plans.js';
import { ActorName, Allow } from './allow.js';

/** Saved plans. They are made under their store. */
@ApiController('api/v1/plans')
export class PlansController {
  constructor(private readonly plans: PlanOperations) {}

  @Describe({
    summary: 'Saved plans',
    answer: { name: 'PlanPage', schema: planPageSchema },
  })
  @Get()
  @Allow('viewer')
  list(
    @Query({ schema: planQuerySchema }) query: z.output<typeof planQuerySchema>,
  ): Promise<Page<PresentedPlan>> {
    return this.plans.list(query);
  }

  @Describe({
    summary: 'One saved plan',
    answer: { name: 'Plan', schema: planSchema },
    errors: [404],
  })
  @Get(':id')
  @Allow('viewer')
  show(@Param('id') id: string): Promise<PresentedPlan> {
    return this.plans.show(id);
  }

  @Describe({
    summary: 'The entries of a saved plan, one for each product',
    answer: { name: 'PlanEntryPage', schema: planEntryPageSchema },
    errors: [404],
  })
  @Get(':id/entries')
  @Allow('viewer')
  entries(
    @Param('id') id: string,
    @Query({ schema: planEntriesQuerySchema }) query: z.output<typeof planEntriesQuerySchema>,
  ): Promise<Page<PlanEntry>> {
    return this.plans.entries(id, query);
  }

  /** Checks every entry against the store first: the answer, with the run's id, takes as long as that does. */
  @Describe({
    summary: 'Apply exactly this plan, once; entries that changed since are refused',
    answer: { name: 'AppliedPlan', schema: appliedPlanSchema },
    errors: [404, 409, 502, 503],
  })
  @Change(':id/apply', 'admin', 'plan apply', 202)
  apply(@Param('id') id: string, @ActorName() actor: string): Promise<z.output<typeof appliedPlanSchema>> {
    return this.plans.apply(id, actor);
  }
}
