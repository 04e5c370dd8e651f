import { open, type FileHandle } from 'node:fs/promises';
import { BACKOFF } from '../../domain/backoff.js';
import { CodedError, isCoded } from '../../domain/errors.js';
import { TimeLimit } from '../../runtime/time-limit.js';
import { isSafeUrl } from './endpoint.js';
import { type ExportCensus, ExportScan } from './jsonl.js';
import type { Sleep } from './options.js';

export interface DownloadSettings {
  /** True only when the store itself uses plain http on loopback. */
  readonly allowHttp: boolean;
  readonly attempts: number;
  /** The longest silence. */
  readonly timeoutMs: number;
  readonly sleep: Sleep;
  readonly random: () => number;
  /** Requests the current address of the file; null when there is none. */
  readonly freshUrl: () => Promise<string | null>;
}

/** The bytes on disk, and their strong entity tag, which allows a request for the rest. */
interface Progress {
  scan: ExportScan;
  etag: string | null;
}

/** The address has expired: it is valid for seven days. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor(readonly status: number) {
    super(`the file's address answered ${String(status)}`);
  }
}

/**
 * Downloads an export to `path` and counts its lines. The store's token is not sent, because the files are on another
 * host. An interrupted transfer continues where it stopped, or starts again. An expired address is requested again.
 * Throws `transient` when that does not help.
 */
export async function download(url: string, path: string, settings: DownloadSettings): Promise<ExportCensus> {
  // Opened for appending, so that a file that was truncated to nothing is written from its start.
  const file = await open(path, 'a');
  try {
    const progress: Progress = { scan: new ExportScan(), etag: null };
    await transfer(url, file, progress, settings);
    return progress.scan.finish();
  } finally {
    await file.close();
  }
}

async function transfer(
  url: string,
  file: FileHandle,
  progress: Progress,
  settings: DownloadSettings,
): Promise<void> {
  let address = url;
  let refreshed = false;
  let furthest = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      await transferOnce(safeAddress(address, settings), file, progress, settings.timeoutMs);
      return;
    } catch (cause) {
      if (isCoded(cause)) throw cause;
      // A large file may be interrupted many times, as long as it makes progress.
      if (progress.scan.received > furthest) attempt = 1;
      furthest = Math.max(furthest, progress.scan.received);
      if (cause instanceof AddressRefused) {
        const fresh = refreshed ? null : await settings.freshUrl();
        if (fresh === null) {
          const text = `the export can no longer be downloaded (status ${String(cause.status)}): it has to be started again`;
          throw new CodedError('transient', text, { cause, status: cause.status });
        }
        address = fresh;
        refreshed = true;
      } else if (attempt >= settings.attempts) {
        throw new CodedError('transient', 'the export could not be downloaded to its end', { cause });
      }
      await settings.sleep(BACKOFF.exportDownload.delayMs(attempt, settings.random));
    }
  }
}

async function transferOnce(
  url: URL,
  file: FileHandle,
  progress: Progress,
  timeoutMs: number,
): Promise<void> {
  const silence = new TimeLimit(timeoutMs);
  try {
    const response = await fetch(url, {
      headers: { 'accept-encoding': 'identity', ...rangeOf(progress) },
      redirect: 'manual',
      signal: silence.signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      const { status } = response;
      const passing = status >= 500 || status === 408 || status === 416 || status === 429;
      // 416: no bytes are left, or the file is another one. Start again in both cases.
      if (status === 416) await beginAgain(file, progress, null);
      throw passing ? new Error(`the download answered ${String(status)}`) : new AddressRefused(status);
    }
    if (response.status === 206 && !goesOn(response, progress)) {
      await response.body?.cancel();
      await beginAgain(file, progress, null);
      throw new Error('the download went on at the wrong place');
    }
    // A failed write may have left bytes that were not counted.
    if (response.status === 206) await file.truncate(progress.scan.received);
    else await beginAgain(file, progress, strongTag(response));
    const body: ReadableStream<Uint8Array> | null = response.body;
    for await (const chunk of body ?? []) {
      silence.renew();
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      await file.appendFile(bytes);
      progress.scan.push(bytes);
    }
  } finally {
    silence.end();
  }
}

function rangeOf(progress: Progress): Record<string, string> {
  const { received } = progress.scan;
  if (received === 0 || progress.etag === null) return {};
  return { range: `bytes=${String(received)}-`, 'if-range': progress.etag };
}

/** True when the response continues exactly after the bytes on disk. */
function goesOn(response: Response, progress: Progress): boolean {
  const range = response.headers.get('content-range') ?? '';
  return range.startsWith(`bytes ${String(progress.scan.received)}-`);
}

async function beginAgain(file: FileHandle, progress: Progress, etag: string | null): Promise<void> {
  await file.truncate(0);
  progress.scan = new ExportScan();
  progress.etag = etag;
}

function strongTag(response: Response): string | null {
  const tag = response.headers.get('etag');
  return tag !== null && !tag.startsWith('W/') ? tag : null;
}

function safeAddress(address: string, settings: DownloadSettings): URL {
  const url = URL.parse(address);
  if (url !== null && isSafeUrl(url) && (url.protocol === 'https:' || settings.allowHttp)) return url;
  throw new CodedError('transient', 'the store named a file address that is not https');
}
