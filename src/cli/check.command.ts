import { secretValues, type LoadedConfig } from '../config/index.js';
import { redactSecrets } from '../observability/logging/index.js';
import { configFindings, probed, type Finding } from '../operations/check.js';
import { checkSetup } from '../operations/check-setup.js';
import { StoreSyncCommand } from './command.js';
import type { CommonOptions } from './options.js';
import { print } from './output.js';
import { reportFailure } from './report.js';
import { openRuntime, readConfig, type Runtime } from './runtime.js';
import { paintState } from './terminal.js';

export class CheckCommand extends StoreSyncCommand {
  protected async execute(options: CommonOptions): Promise<number> {
    const loaded = readConfig(options.config);
    const { config, warnings, files } = loaded;
    const findings: Finding[] = [
      { level: 'ok', what: 'configuration', detail: files.join(', ') },
      ...warnings.map((detail): Finding => ({ level: 'warn', what: 'configuration', detail })),
      ...configFindings(config),
    ];
    const runtime = await this.#open(loaded, findings);
    try {
      findings.push(...(await checkSetup(config, runtime)));
    } finally {
      await runtime?.release();
    }
    const secrets = secretValues(config);
    for (const { level, what, detail } of findings)
      print(redactSecrets(`${paintState(level, 4)}  ${what}: ${detail}`, secrets));
    const failed = findings.filter((finding) => finding.level === 'FAIL');
    const [first] = failed;
    if (first) {
      const more = failed.length > 1 ? ` (and ${String(failed.length - 1)} more)` : '';
      reportFailure(redactSecrets(`${first.what}: ${first.detail}${more}`, secrets));
    }
    return failed.length === 0 ? 0 : 1;
  }

  /** The check reports a failing embedded database as a finding, too. */
  async #open(loaded: LoadedConfig, findings: Finding[]): Promise<Runtime | null> {
    const opened: Runtime[] = [];
    findings.push(
      ...(await probed('database', async () => {
        opened.push(await openRuntime(loaded, 'stderr'));
        return [];
      })),
    );
    return opened[0] ?? null;
  }
}
