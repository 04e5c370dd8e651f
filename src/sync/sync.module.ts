import { Module } from '@nestjs/common';
import { Applier } from './apply.js';
import { BackgroundCreations } from './background-creations.js';
import { GenerationRequester } from './generation.js';
import { ListingsAhead } from './listings-ahead.js';
import { RunEnds } from './run-ends.js';
import { RunApplication } from './run-application.js';
import { RunPlanner } from './run-planner.js';
import { RunReader } from './run-reader.js';
import { RunWorker } from './run-worker.js';
import { SavedPlans } from './saved-plans.js';
import { SidePauses } from './side-pauses.js';

/** Runs: plan, apply, follow background creations, and request generated content. */
@Module({
  providers: [
    RunWorker,
    RunReader,
    RunPlanner,
    RunApplication,
    RunEnds,
    ListingsAhead,
    Applier,
    BackgroundCreations,
    GenerationRequester,
    SavedPlans,
    SidePauses,
  ],
  exports: [RunWorker, BackgroundCreations, GenerationRequester, SavedPlans],
})
export class SyncModule {}
