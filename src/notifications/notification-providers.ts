import type { Provider } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { CodedError } from '../domain/errors.js';
import { Logger } from '../runtime/logger.js';
import { Shutdown } from '../runtime/shutdown.js';
import { Announcer } from './announcer.js';
import { EVENT_RECEIVER, EventSender, type EventReceiver } from './event-sender.js';
import { OUTGOING_WEBHOOK, outgoingPost, outgoingWebhook, type OutgoingWebhook } from './outgoing-webhook.js';
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
    provide: OUTGOING_WEBHOOK,
    inject: [APP_CONFIG],
    useFactory: ({ notifications }: AppConfig): OutgoingWebhook => {
      const { webhookUrl } = notifications;
      if (webhookUrl === undefined)
        throw new CodedError('misconfigured', 'notifications.webhookUrl is not set');
      return outgoingWebhook(webhookUrl);
    },
  },
  Announcer,
  timed('notifications', Announcer),
];

/** Sends lifecycle events to `notifications.events`. A daemon has these only when the setting is there. */
export const LIFECYCLE_EVENTS: Provider[] = [
  {
    provide: EVENT_RECEIVER,
    inject: [APP_CONFIG],
    useFactory: ({ notifications }: AppConfig): EventReceiver => {
      const { webhookUrl: url, secret } = notifications.events;
      if (url === undefined || secret === undefined)
        throw new CodedError('misconfigured', 'notifications.events.webhookUrl and its secret are not set');
      return { post: outgoingPost(url), secret };
    },
  },
  EventSender,
  timed('lifecycle events', EventSender),
];
