import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ConfigReload, reloadAnswerSchema, type ReloadAnswer } from '../operations/config-reload.js';
import { AdminGuard } from './admin.guard.js';
import { Allow } from './allow.js';
import { Audited } from './audit.interceptor.js';
import { Describe } from './describe.js';

/** The configuration of the process that answers. */
@Controller('api/v1/config')
@UseGuards(AdminGuard)
export class ConfigController {
  constructor(private readonly config: ConfigReload) {}

  @Describe({
    summary: 'Read the configuration files again: workspaces and stores change without a restart',
    answer: { name: 'Reloaded', schema: reloadAnswerSchema },
    errors: [409],
  })
  @Post('reload')
  @Allow('admin')
  @Audited('config reload')
  @HttpCode(200)
  reload(): ReloadAnswer {
    return this.config.reload();
  }
}
