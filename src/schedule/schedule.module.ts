import { Module } from '@nestjs/common';
import { ScheduleModule as NestScheduleModule } from '@nestjs/schedule';
import { BurstWatch } from './burst-watch.js';
import { Reconciler } from './reconciler.js';
import { Retention } from './retention.js';
import { Scheduler } from './scheduler.js';
import { ShopRedactions } from './shop-redactions.js';
import { TaskPoller } from './task-poller.js';

/** Due runs, the sweep of due rows, polls of open tasks, retention, and the pace during bursts of deliveries. */
@Module({
  imports: [NestScheduleModule.forRoot()],
  providers: [Scheduler, Reconciler, TaskPoller, Retention, ShopRedactions, BurstWatch],
})
export class ScheduleModule {}
