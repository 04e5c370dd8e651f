import { Global, Module, type DynamicModule } from '@nestjs/common';
import { InstallModule } from './api/probes.module.js';
import { ConfigReload } from './operations/config-reload.js';
import { RefusedAttempts } from './operations/refused-attempts.js';
import { StoreInstalls } from './operations/store-installs.js';
import { ProcessModule, type ProcessSettings } from './process.module.js';
import { ReceivingSitesModule } from './connections/receiving-sites.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/**
 * A process of the role `receive` alone. `DaemonModule` has the same routes and more. Nothing that this module imports may load the
 * stages, the pages or the libraries of either side.
 */
@Global()
@Module({
  imports: [ReceivingSitesModule, WebhooksModule, InstallModule],
  providers: [ConfigReload, RefusedAttempts, StoreInstalls],
  exports: [RefusedAttempts, StoreInstalls],
})
export class ReceivingModule {
  static forRoot(settings: ProcessSettings): DynamicModule {
    return { module: ReceivingModule, imports: [ProcessModule.forRoot(settings)] };
  }
}
