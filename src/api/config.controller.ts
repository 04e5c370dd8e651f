import { ApiController, Change, Describe } from './api-routes.js';
import { ConfigReload, type ReloadAnswer } from '../operations/config-reload.js';

/** The configuration of the process that answers. */
@ApiController('api/v1/config')
export class ConfigController {
  constructor(private readonly config: ConfigReload) {}

  @Describe(
    'Read the configuration files again: workspaces and stores change without a restart',
    'Reloaded',
    [409],
  )
  @Change('reload', 'admin', 'config reload')
  reload(): ReloadAnswer {
    return this.config.reload();
  }
}
