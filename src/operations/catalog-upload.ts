import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { BackgroundTask } from '../catalog/background-task.js';
import { BACKOFF } from '../domain/backoff.js';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { Clock } from '../runtime/clock.js';
import { Connections, type Workspace } from '../connections/connections.js';

export interface UploadRequest {
  readonly file: string;
  readonly workspace: string;
}

/** What the service says of the upload while it goes on. */
export interface UploadProgress {
  readonly taskId: string;
  /** The service's own word, or why it cannot be read at present; null before the first answer. */
  readonly status: string | null;
}

export interface UploadOutcome {
  readonly workspace: string;
  readonly file: string;
  readonly taskId: string;
  readonly state: 'succeeded' | 'failed';
  readonly status: string | null;
  /** Why the upload failed, in the words of the service; null when it gave no reason. */
  readonly reason: string | null;
  /** The service's own record of the task. Its fields are undocumented. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** Sends a CSV file by the service's upload operation (docs/catalog-rules.md#csv-upload-of-products), and follows its task. */
@Injectable()
export class CatalogUploads {
  constructor(
    private readonly connections: Connections,
    @Inject(Clock) private readonly clock: Pick<Clock, 'sleep'>,
  ) {}

  /** Throws when the file was not sent or refused, and when its outcome cannot be known. */
  async upload(
    request: UploadRequest,
    signal: AbortSignal,
    onProgress: (progress: UploadProgress) => void,
  ): Promise<UploadOutcome> {
    const workspace = this.connections.knownWorkspace(request.workspace);
    await checkFile(request.file);
    const taskId = await send(workspace, request.file);
    const { state, status, reason, raw } = await this.#ended(workspace, taskId, signal, onProgress);
    return {
      workspace: workspace.key,
      file: request.file,
      taskId,
      state: state === 'failed' ? 'failed' : 'succeeded',
      status,
      reason: reason ?? null,
      record: raw,
    };
  }

  async #ended(
    { client }: Workspace,
    taskId: string,
    signal: AbortSignal,
    onProgress: (progress: UploadProgress) => void,
  ): Promise<BackgroundTask> {
    onProgress({ taskId, status: null });
    for (let rounds = 1; ; rounds += 1) {
      if (signal.aborted)
        throw new CodedError('transient', `interrupted: the service goes on with task ${taskId}`);
      try {
        const task = await client.getBackgroundTask(taskId);
        if (task.state !== 'running') return task;
        onProgress({ taskId, status: task.status });
      } catch (error) {
        if (!(error instanceof CodedError)) throw error;
        if (reactionTo('task', error) === 'give_up')
          throw new CodedError(
            error.code,
            `the service took the file as task ${taskId}, which cannot be read: ${errorLine(error)}`,
            { cause: error },
          );
        onProgress({ taskId, status: `not known at present (${errorLine(error)})` });
      }
      await this.clock.sleep(BACKOFF.outsideJob.stepMs(rounds), signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }
}

async function checkFile(file: string): Promise<void> {
  const found = await stat(file).catch((error: unknown) => {
    throw new CodedError('invalid', `${file} cannot be read: ${errorLine(error)}`, { cause: error });
  });
  if (!found.isFile()) throw new CodedError('invalid', `${file} is not a file`);
  if (found.size === 0) throw new CodedError('invalid', `${file} is empty`);
}

/** The id of the task that imports the file. */
async function send({ client, key }: Workspace, file: string): Promise<string> {
  try {
    const { taskId } = await client.uploadCsv(() => createReadStream(file), basename(file));
    if (taskId !== undefined) return taskId;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    throw new CodedError(
      error.code,
      error.outcomeUnknown
        ? `the answer about ${file} was lost, so that it may be imported: look in the catalog before you send it again`
        : `workspace ${key} refused ${file}: ${errorLine(error)}${adviceFor(error)}`,
      { cause: error },
    );
  }
  throw new CodedError(
    'misconfigured',
    `the service took ${file}, and its answer names no task: its outcome cannot be followed`,
  );
}

function adviceFor({ status }: CodedError): string {
  if (status === 404 || status === 405)
    return '; set assumptions.uploadCsv.path and method to what the service takes';
  return status === 413 ? '; split the file into smaller ones' : '';
}
