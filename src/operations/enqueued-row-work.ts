import { Injectable } from '@nestjs/common';
import { Nudger } from '../queue/index.js';
import { RowWorkPort } from './ports.js';

/** The daemon's way: a job for each row, and its workers do the rest. */
@Injectable()
export class EnqueuedRowWork implements RowWorkPort {
  constructor(private readonly jobs: Nudger) {}

  async deliveries(ids: readonly string[]): Promise<void> {
    await this.jobs.nudgeMany('deliveries', ids);
  }

  async writeBacks(ids: readonly string[]): Promise<void> {
    await this.jobs.nudgeMany('write-backs', ids);
  }

  async run(id: string): Promise<void> {
    await this.jobs.nudge('runs', id);
  }
}
