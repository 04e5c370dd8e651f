import { Param, Query } from '@nestjs/common';
import { ApiController, Change, Describe, Read } from './api-routes.js';
import type { z } from 'zod';
import type { Page } from '../operations/paging.js';
import {
  appliedPlanSchema,
  planEntriesQuerySchema,
  PlanOperations,
  planQuerySchema,
  type PlanEntry,
  type PresentedPlan,
} from '../operations/plans.js';
import { ActorName } from './allow.js';

/** Saved plans. They are made under their store. */
@ApiController('api/v1/plans')
export class PlansController {
  constructor(private readonly plans: PlanOperations) {}

  @Describe('Saved plans', 'PlanPage')
  @Read()
  list(
    @Query({ schema: planQuerySchema }) query: z.output<typeof planQuerySchema>,
  ): Promise<Page<PresentedPlan>> {
    return this.plans.list(query);
  }

  @Describe('One saved plan', 'Plan', [404])
  @Read(':id')
  show(@Param('id') id: string): Promise<PresentedPlan> {
    return this.plans.show(id);
  }

  @Describe('The entries of a saved plan, one for each product', 'PlanEntryPage', [404])
  @Read(':id/entries')
  entries(
    @Param('id') id: string,
    @Query({ schema: planEntriesQuerySchema }) query: z.output<typeof planEntriesQuerySchema>,
  ): Promise<Page<PlanEntry>> {
    return this.plans.entries(id, query);
  }

  /** Checks every entry against the store first: the answer, with the run's id, takes as long as that does. */
  @Describe(
    'Apply exactly this plan, once; entries that changed since are refused',
    'AppliedPlan',
    [404, 409, 502],
  )
  @Change(':id/apply', 'admin', 'plan apply', 202)
  apply(@Param('id') id: string, @ActorName() actor: string): Promise<z.output<typeof appliedPlanSchema>> {
    return this.plans.apply(id, actor);
  }
}
