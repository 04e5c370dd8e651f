import type { Provider } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Logger } from '../runtime/logger.js';
import { Shutdown } from '../runtime/shutdown.js';
import { Announcer, NOTIFICATION_POST } from './announcer.js';
import { EVENT_RECEIVER, EventSender, type EventReceiver } from './event-sender.js';
import { outgoingPost } from './outgoing-webhook.js';
import { RoundTimer, type Sender } from './round-timer.js';

function timed(name: string, token: typeof Announcer | typeof EventSender): Provider {
  return {
    provide: `${name}-timer`,
    inject: [token, Shutdown, Logger],
    useFactory: (sender: Sender, shutdown: Shutdown, logger: Logger) =>
      new RoundTimer(sender, shutdown, logger),
  };
}

/** Posts what changed to `notifications.webhookUrl`. A daemon has these only when the setting is there. */
export const NOTIFICATIONS: Provider[] = [
  {
    provide: NOTIFICATION_POST,
    inject: [APP_CONFIG],
    useFactory: ({ notifications: { webhookUrl = '' } }: AppConfig) => outgoingPost(webhookUrl),
  },
  Announcer,
  timed('notifications', Announcer),
];

/** Sends lifecycle events to `notifications.events`. A daemon has these only when the setting is there. */
export const LIFECYCLE_EVENTS: Provider[] = [
  {
    provide: EVENT_RECEIVER,
    inject: [APP_CONFIG],
    useFactory: ({ notifications: { events } }: AppConfig): EventReceiver => {
      const { webhookUrl = '', secret = '' } = events;
      return { post: outgoingPost(webhookUrl), secret };
    },
  },
  EventSender,
  timed('lifecycle events', EventSender),
];
