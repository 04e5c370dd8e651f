import { Module } from '@nestjs/common';
import { ScheduleModule as NestScheduleModule } from '@nestjs/schedule';
import { Reconciler } from './reconciler.js';
import { Retention } from './retention.js';
import { Scheduler } from './scheduler.js';
import { ShopRedactions } from './shop-redactions.js';
import { TaskPoller } from './task-poller.js';

/** Due runs, the sweep of due rows, polls of open tasks and retention. */
@Module({
  imports: [NestScheduleModule.forRoot()],
  providers: [Scheduler, Reconciler, TaskPoller, Retention, ShopRedactions],
})
export class ScheduleModule {}
