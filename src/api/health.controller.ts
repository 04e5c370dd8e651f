import { Controller, Get, Inject, ServiceUnavailableException } from '@nestjs/common';
import {
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { Database } from '../persistence/database.js';
import { QUEUE_BACKEND, type QueueBackend } from '../queue/index.js';
import { timedOut, within } from '../runtime/time-limit.js';
import { sharedAnswer } from './shared-answer.js';

/** A part that does not answer within this is down. */
const ANSWER_WITHIN_MS = 2_000;
/** Readiness is looked up at most this often, however many ask. */
const READY_FOR_MS = 1_000;

/**
 * Health checks for the orchestrator: whether the process is alive, and whether it is ready or which parts are down.
 */
@Controller('health')
export class HealthController {
  readonly #readiness = sharedAnswer(() => this.#look(), {
    forMs: READY_FOR_MS,
    nowMs: () => performance.now(),
  });

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    private readonly db: Database,
    @Inject(QUEUE_BACKEND) private readonly queue: QueueBackend,
  ) {}

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  async ready(): Promise<HealthCheckResult> {
    return this.#readiness();
  }

  async #look(): Promise<HealthCheckResult> {
    try {
      return await this.health.check([
        () => this.#part('database', () => this.db.assertWritable()),
        () => this.#part('queue', () => this.queue.ping()),
      ]);
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      const found = error.getResponse();
      const down =
        typeof found === 'object' &&
        'error' in found &&
        typeof found.error === 'object' &&
        found.error !== null
          ? Object.keys(found.error)
          : [];
      throw new ServiceUnavailableException({ message: `down: ${down.join(', ')}`, details: { down } });
    }
  }

  async #part(name: string, probe: () => Promise<unknown>): Promise<HealthIndicatorResult> {
    const check = this.indicator.check(name);
    try {
      await within(ANSWER_WITHIN_MS, probe(), timedOut('no answer in time'));
      return check.up();
    } catch {
      // The answer names only the part that is down. The reason may contain addresses, so it is only in the log.
      return check.down();
    }
  }
}
