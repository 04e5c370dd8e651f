import { Body, Controller, Delete, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import { BearerGuard, RequiresScope } from '../auth/bearer.guard.js';
import { notFound, parseOrRefuse } from '../http/errors.js';
import { WebhookSettings, webhookRequest, type WebhookConfiguration } from './webhook-settings.js';

/** docs/catalog-rules.md#settingswebhooks. */
@Controller('settings/webhooks')
@UseGuards(BearerGuard)
@RequiresScope('settings')
export class WebhookSettingsController {
  constructor(private readonly settings: WebhookSettings) {}

  @Get()
  async get(): Promise<WebhookConfiguration> {
    const configuration = await this.settings.current();
    if (configuration === undefined) throw notFound();
    return configuration;
  }

  @Post()
  @HttpCode(200)
  async save(@Body() body: unknown): Promise<WebhookConfiguration> {
    return this.settings.replace(parseOrRefuse(webhookRequest, body));
  }

  /** 204 also when there was none. */
  @Delete()
  @HttpCode(204)
  async remove(): Promise<void> {
    await this.settings.remove();
  }
}
