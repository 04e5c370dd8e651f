import { Module } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { CodedError } from '../domain/errors.js';
import { AnnouncerTimer } from './announcer-timer.js';
import { Announcer } from './announcer.js';
import { messages } from './messages.js';
import { OUTGOING_WEBHOOK, outgoingWebhook, type OutgoingWebhook } from './outgoing-webhook.js';

/** Posts what changed to `notifications.webhookUrl`. The daemon has this module only when the setting is there. */
@Module({
  providers: [
    {
      provide: OUTGOING_WEBHOOK,
      inject: [APP_CONFIG],
      useFactory: ({ notifications }: AppConfig): OutgoingWebhook => {
        const { webhookUrl } = notifications;
        if (webhookUrl === undefined) throw new CodedError('misconfigured', messages.notConfigured);
        return outgoingWebhook(webhookUrl);
      },
    },
    Announcer,
    AnnouncerTimer,
  ],
})
export class NotificationsModule {}
