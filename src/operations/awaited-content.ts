import { Injectable } from '@nestjs/common';
import { TaskRepository } from '../persistence/task.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import type { PresentedRun } from './present-run.js';

/** What is still missing after a run. */
export interface Awaited {
  /** Requests of the run without an end. */
  readonly missing: number;
  /** Write-backs of the store that are to be written, and those that a person has to read. */
  readonly toWrite: number;
  readonly toReview: number;
}

/** The content that a run requested, and its way to the store. */
@Injectable()
export class AwaitedContent {
  constructor(
    private readonly tasks: TaskRepository,
    private readonly writeBacks: WriteBackRepository,
  ) {}

  async of({ id, store }: Pick<PresentedRun, 'id' | 'store'>): Promise<Awaited> {
    const missing = await this.tasks.countOpenOf(id);
    const { ready: toWrite = 0, pending_review: toReview = 0 } = await this.writeBacks.countByState(store);
    return { missing, toWrite, toReview };
  }
}
