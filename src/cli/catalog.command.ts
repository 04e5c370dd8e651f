import { CodedError } from '../domain/errors.js';
import type { CommandChange } from '../operations/audit.js';
import { CatalogUploads, type UploadOutcome, type UploadProgress } from '../operations/catalog-upload.js';
import { interruptSignal, StoreSyncCommand } from './command.js';
import { JSON_OPTION, type JsonOptions } from './options.js';
import { print, printJson } from './output.js';
import { actionOf, nothingMore, printable } from './terminal.js';
import { reportFailure } from './report.js';

interface CatalogOptions extends JsonOptions {
  readonly workspace?: string;
}

const ACTIONS = ['upload'] as const;
const LINE_EVERY_MS = 10_000;
const LONGEST_RECORD = 2000;

export class CatalogCommand extends StoreSyncCommand<CatalogOptions> {
  override readonly args = {
    '<action>': 'upload: sends a CSV file of products',
    '[file]': 'the CSV file, in the columns that the service takes',
  };
  override readonly options = [
    { flags: '--workspace <key>', description: 'key of the workspace in the configuration' },
    JSON_OPTION,
  ];

  protected override change(
    { workspace }: CatalogOptions,
    [action = '', file = '']: readonly string[],
  ): CommandChange {
    return { what: `catalog ${action}`, targets: [workspace ?? '', file] };
  }

  protected async execute(
    options: CatalogOptions,
    [given, file, ...rest]: readonly string[],
  ): Promise<number> {
    const action = actionOf('catalog', ACTIONS, given);
    nothingMore(`catalog ${action}`, rest);
    if (file === undefined) throw new CodedError('invalid', 'FILE.csv is missing: name the file to send');
    const { workspace } = options;
    if (workspace === undefined) throw new CodedError('invalid', '--workspace is missing');
    const signal = interruptSignal();
    return this.withService(options, CatalogUploads, async (uploads) => {
      const outcome = await uploads.upload({ file, workspace }, signal, progressLines());
      if (options.json) printJson(outcome);
      else print(summary(outcome));
      if (outcome.state === 'succeeded') return 0;
      reportFailure(`the upload failed: ${printable(outcome.reason ?? 'no reason given')}`);
      return 1;
    });
  }
}

/** A line when the status changes, and every ten seconds. */
function progressLines(): (progress: UploadProgress) => void {
  let last: string | null = null;
  let lastMs = 0;
  const beganMs = performance.now();
  return ({ taskId, status }) => {
    const now = performance.now();
    const line = `task ${taskId}: ${status ?? 'accepted'}`;
    if (line === last && now - lastMs < LINE_EVERY_MS) return;
    [last, lastMs] = [line, now];
    process.stderr.write(`${printable(line)}, ${String(Math.round((now - beganMs) / 1000))} s\n`);
  };
}

function summary({ file, taskId, status, record }: UploadOutcome): string {
  return `${file}: task ${taskId}: ${status ?? 'ended'}\n${printable(JSON.stringify(record), LONGEST_RECORD)}`;
}
