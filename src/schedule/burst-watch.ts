import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { APP_CONFIG, receivesElsewhere, type AppConfig } from '../config/index.js';
import { errorLine } from '../domain/errors.js';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import { BURST_PER_SECOND, DeliveryPacer } from '../queue/index.js';
import { Logger } from '../runtime/logger.js';

const LOOK_MS = 1_000;
/** A burst that goes on is seen again before its pace ends. */
const PACED_MS = 3 * LOOK_MS;

/**
 * Looks for bursts of deliveries in a process that works and does not receive. Their receiver shares the database with it, and often the
 * processors too, and needs them first. A process that receives knows its own bursts.
 */
@Injectable()
export class BurstWatch implements OnApplicationBootstrap, OnModuleDestroy {
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(
    private readonly deliveries: DeliveryRepository,
    @Inject(DeliveryPacer) private readonly pacer: Pick<DeliveryPacer, 'burstElsewhere'>,
    @Inject(APP_CONFIG) private readonly config: { readonly server: Pick<AppConfig['server'], 'roles'> },
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (!receivesElsewhere(this.config.server.roles)) return;
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.#timer);
  }

  /** Never rejects: while the database does not answer, nothing is interpreted either. */
  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      if (await this.deliveries.cameInLastSecond(BURST_PER_SECOND)) this.pacer.burstElsewhere(PACED_MS);
    } catch (error) {
      this.logger.debug({ err: errorLine(error) }, 'bursts of deliveries cannot be seen');
    } finally {
      this.#looking = false;
    }
  }
}
