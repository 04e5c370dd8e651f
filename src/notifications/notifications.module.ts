import {
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { AppConfig } from '../config/index.js';
import { errorLine } from '../domain/errors.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { NotificationRepository } from '../persistence/notification.repository.js';
import { Shutdown } from '../runtime/shutdown.js';
import { Sites } from '../sites/sites.js';
import { SYSTEM_CLOCK } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';
import { Announcer } from './announcer.js';
import { outgoingWebhook } from './outgoing-webhook.js';

const EVERY_MS = 5_000;

/** Rounds of one process never overlap, so that a slow receiver has one at a time; between processes the rows see to that. */
class AnnouncerClock implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #round: Promise<void> | null = null;

  constructor(
    private readonly announcer: Announcer,
    private readonly registry: SchedulerRegistry,
    private readonly shutdown: Shutdown,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const round = (): void => {
      if (this.shutdown.signal.aborted) return;
      this.#round ??= this.#guardedRound().finally(() => {
        this.#round = null;
      });
    };
    this.registry.addInterval('notifications', setInterval(round, EVERY_MS));
    // What a process before us noticed and did not tell.
    round();
  }

  /** What is being sent is waited for (ten seconds at most), so that it need not be sent again. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#round;
  }

  async #guardedRound(): Promise<void> {
    try {
      await this.announcer.round(this.shutdown.signal);
    } catch (error) {
      this.log.warn({ err: errorLine(error) }, 'notifications could not be looked after; it is tried again');
    }
  }
}

/** Tells people of what changed, where `notifications.webhookUrl` says whom to tell; nothing otherwise. */
@Module({})
export class NotificationsModule {
  static forRoot(config: AppConfig, log: Logger): DynamicModule {
    const { webhookUrl } = config.notifications;
    if (webhookUrl === undefined) return { module: NotificationsModule };
    return {
      module: NotificationsModule,
      providers: [
        {
          provide: Announcer,
          inject: [Sites, NotificationRepository, Metrics],
          useFactory: (sites: Sites, notifications: NotificationRepository, metrics: Metrics) =>
            new Announcer({
              sites,
              notifications,
              webhook: outgoingWebhook(webhookUrl),
              metrics,
              clock: SYSTEM_CLOCK,
              log,
              publicUrl: config.server.publicUrl,
            }),
        },
        {
          provide: AnnouncerClock,
          inject: [Announcer, SchedulerRegistry, Shutdown],
          useFactory: (announcer: Announcer, registry: SchedulerRegistry, shutdown: Shutdown) =>
            new AnnouncerClock(announcer, registry, shutdown, log),
        },
      ],
    };
  }
}
