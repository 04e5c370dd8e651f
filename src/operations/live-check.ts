import { Injectable } from '@nestjs/common';
import { ConfigSource } from '../config/index.js';
import { connect, SILENT_OBSERVERS } from '../connections/connect.js';
import { InstalledStores } from '../connections/installed-stores.js';
import { WebhookSlot } from '../connections/webhook-slot.js';
import { redactSecrets } from '../observability/logging/index.js';
import { StoreInstallationRepository } from '../persistence/store-installation.repository.js';
import { installationFindings, uninstalledKeys } from './check-store-states.js';
import { checkConnections, configFindings, IMPATIENT, publicUrlAnswer, type Finding } from './check.js';

/** What `store-sync check` does, without the parts that this process proves by running. */
@Injectable()
export class LiveCheck {
  constructor(
    private readonly source: ConfigSource,
    private readonly installed: InstalledStores,
    private readonly installations: StoreInstallationRepository,
    private readonly slots: WebhookSlot,
  ) {}

  async findings(): Promise<Finding[]> {
    const config = this.source.current;
    const { publicUrl } = config.server;
    const { installed } = this;
    const installations = await this.installations.all();
    // A check has its own connections, because it gives up early and must not wait behind the requests of runs.
    const connections = connect(config, SILENT_OBSERVERS, { installed, waits: IMPATIENT });
    try {
      const findings = [
        ...configFindings(config),
        ...(publicUrl === undefined ? [] : [await publicUrlAnswer(publicUrl)]),
        ...installationFindings(installations, installed.join().left),
        ...(await checkConnections(
          connections,
          (workspace) => this.slots.look(workspace),
          uninstalledKeys(installations),
        )),
      ];
      const secrets = this.source.secrets();
      return findings.map((each) => ({ ...each, detail: redactSecrets(each.detail, secrets) }));
    } finally {
      await connections.close();
    }
  }
}
