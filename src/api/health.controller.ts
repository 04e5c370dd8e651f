import { Controller, Get, Inject, ServiceUnavailableException } from '@nestjs/common';
import { GroundLooks } from '../operations/outages.js';
import { Remembered } from '../runtime/remembered.js';

/** Readiness is looked up at most this often, however many ask. */
const READY_FOR_MS = 1_000;

/**
 * Health checks for the orchestrator: whether the process is alive, and whether it is ready or which parts are down.
 */
@Controller('health')
export class HealthController {
  readonly #down = new Remembered<string[]>(READY_FOR_MS, () => performance.now());

  constructor(@Inject(GroundLooks) private readonly ground: Pick<GroundLooks, 'down'>) {}

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  async ready(): Promise<{ status: 'ok' }> {
    const down = await this.#down.get('', () => this.ground.down());
    if (down.length > 0)
      throw new ServiceUnavailableException({ message: `down: ${down.join(', ')}`, details: { down } });
    return { status: 'ok' };
  }
}
