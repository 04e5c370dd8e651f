import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Global, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import type { Job } from 'bullmq';
import { Logger } from '../../../src/runtime/logger.js';
import { loggerTo } from '../../support/logs.js';
import { JobProducer, QueueModule, type QueueSettings, rowIdOf } from '../../../src/queue/index.js';

/** The behaviour of the processors below and the jobs they saw; a test sets `work` and waits with `until`. */
@Injectable()
export class Ledger {
  readonly seen: string[] = [];
  work: (id: string) => Promise<void> = () => Promise.resolve();
  readonly #waiting = new Set<() => void>();

  async record(id: string): Promise<void> {
    await this.work(id);
    this.seen.push(id);
    for (const look of this.#waiting) look();
  }

  /** Resolves once all of `ids` have been worked on, however often. */
  async until(...ids: string[]): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!ids.every((id) => this.seen.includes(id))) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}

@Processor('runs', { concurrency: 4, lockDuration: 1_000, stalledInterval: 500 })
class RunsProcessor extends WorkerHost {
  constructor(private readonly ledger: Ledger) {
    super();
  }

  async process(job: Job): Promise<void> {
    await this.ledger.record(rowIdOf(job));
  }
}

@Processor('deliveries')
class DeliveriesProcessor extends WorkerHost {
  constructor(private readonly ledger: Ledger) {
    super();
  }

  async process(job: Job): Promise<void> {
    await this.ledger.record(rowIdOf(job));
  }
}

export interface QueueApplication {
  readonly context: INestApplicationContext;
  readonly ledger: Ledger;
  readonly jobs: JobProducer;
  readonly lines: string[];
}

/** A Nest application with the queues and two ordinary processors. The caller closes `context`. */
export async function startQueueApplication(settings: QueueSettings): Promise<QueueApplication> {
  const lines: string[] = [];

  @Global()
  @Module({
    providers: [{ provide: Logger, useValue: loggerTo(({ message }) => lines.push(message)) }],
    exports: [Logger],
  })
  class LogModule {}

  @Module({
    imports: [LogModule, QueueModule.forRoot(settings)],
    providers: [Ledger, RunsProcessor, DeliveriesProcessor],
  })
  class QueueApplicationModule {}

  const context = await NestFactory.createApplicationContext(QueueApplicationModule, {
    logger: false,
    abortOnError: false,
  });
  return { context, ledger: context.get(Ledger), jobs: context.get(JobProducer), lines };
}
