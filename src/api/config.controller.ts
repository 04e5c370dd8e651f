import { ApiController, Change } from './api-routes.js';
import { ConfigReload, reloadAnswerSchema, type ReloadAnswer } from '../operations/config-reload.js';
import { Describe } from './describe.js';

/** The configuration of the process that answers. */
@ApiController('api/v1/config')
export class ConfigController {
  constructor(private readonly config: ConfigReload) {}

  @Describe({
    summary: 'Read the configuration files again: workspaces and stores change without a restart',
    answer: { name: 'Reloaded', schema: reloadAnswerSchema },
    errors: [409],
  })
  @Change('reload', 'admin', 'config reload')
  reload(): ReloadAnswer {
    return this.config.reload();
  }
}
