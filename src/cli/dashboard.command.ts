import { ADMIN } from '../api/access.js';
import { dashboardUrl } from '../config/app-config.js';
import { CodedError } from '../domain/errors.js';
import { StoreSyncCommand } from './command.js';
import { print } from './output.js';

/** Prints a link that opens the dashboard, signed in. Whoever may read the configuration has its admin token, and so may make one. */
export class DashboardCommand extends StoreSyncCommand {
  protected async execute(options: { readonly config?: string }): Promise<number> {
    const [{ readConfig }, { signInPath }] = await Promise.all([
      import('./runtime.js'),
      import('../dashboard/sign-in-links.js'),
    ]);
    const { config } = readConfig(options.config);
    const { server } = config;
    if (server.adminToken === undefined)
      throw new CodedError(
        'misconfigured',
        'server.adminToken is empty, so the dashboard is off: set ADMIN_TOKEN to the output of openssl rand -hex 32, and restart',
      );
    const here = `http://localhost:${String(server.admin.port === 0 ? server.port : server.admin.port)}`;
    const address = dashboardUrl(config) ?? here;
    print(`${address}${signInPath(ADMIN, server.adminToken, new Date())}`);
    process.stderr.write('The link signs in once, within ten minutes, while the daemon runs.\n');
    return 0;
  }
}
