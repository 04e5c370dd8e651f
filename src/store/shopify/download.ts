import { get as getHttp, type IncomingMessage } from 'node:http';
import { open, type FileHandle } from 'node:fs/promises';
import { get as getHttps } from 'node:https';
import { BACKOFF } from '../../domain/backoff.js';
import { CodedError, isCoded } from '../../domain/errors.js';
import { TimeLimit } from '../../runtime/time-limit.js';
import { isSafeUrl } from './endpoint.js';
import type { Sleep } from './options.js';

export interface DownloadSettings {
  /** True only when the store itself uses plain http on loopback. */
  readonly allowHttp: boolean;
  readonly attempts: number;
  /** A file that never ends must not fill the disk. */
  readonly mostBytes: number;
  /** The longest silence. */
  readonly timeoutMs: number;
  readonly sleep: Sleep;
  readonly random: () => number;
  /** Requests the current address of the file; null when there is none. */
  readonly freshUrl: () => Promise<string | null>;
}

/** The address has expired: it is valid for seven days. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor(readonly status: number) {
    super(`the file's address answered ${String(status)}`);
  }
}

/** What was written so far, and the strong entity tag of its bytes, which allows a request for the rest. */
interface Progress {
  readonly file: FileHandle;
  size: number;
  etag: string | null;
}

/**
 * Downloads an export to `path`. The store's token is not sent, because the files are on another host. An interrupted transfer
 * continues where it stopped, or starts again. An expired address is requested again. Throws `transient` where that does not help, or
 * `signal` is aborted, and `invalid` for a file of more than `mostBytes`.
 */
export async function download(
  url: string,
  path: string,
  settings: DownloadSettings,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const file = await open(path, 'w');
  try {
    const progress: Progress = { file, size: 0, etag: null };
    await transfer(url, progress, settings, signal);
    // A write that failed may have left more.
    await file.truncate(progress.size);
  } finally {
    await file.close();
  }
}

async function transfer(
  url: string,
  progress: Progress,
  settings: DownloadSettings,
  signal: AbortSignal,
): Promise<void> {
  let address = url;
  let refreshed = false;
  let furthest = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      await transferOnce(safeAddress(address, settings), progress, settings, signal);
      return;
    } catch (cause) {
      if (isCoded(cause)) throw cause;
      if (signal.aborted) throw new CodedError('transient', 'the download was stopped', { cause });
      // A large file may be interrupted many times, as long as it makes progress.
      if (progress.size > furthest) attempt = 1;
      furthest = Math.max(furthest, progress.size);
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
      await settings.sleep(BACKOFF.exportDownload.delayMs(attempt, settings.random), signal);
    }
  }
}

async function transferOnce(
  url: URL,
  progress: Progress,
  { timeoutMs, mostBytes }: DownloadSettings,
  signal: AbortSignal,
): Promise<void> {
  const silence = new TimeLimit(timeoutMs);
  try {
    const headers = { 'accept-encoding': 'identity', ...rangeOf(progress) };
    const response = await requested(url, headers, AbortSignal.any([silence.signal, signal]));
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) {
      response.destroy();
      const passing = status >= 500 || status === 408 || status === 416 || status === 429;
      // 416: no bytes are left, or the file is another one. Start again in both cases.
      if (status === 416) beginAgain(progress, null);
      throw passing ? new Error(`the download answered ${String(status)}`) : new AddressRefused(status);
    }
    if (status === 206 && !goesOn(response, progress)) {
      response.destroy();
      beginAgain(progress, null);
      throw new Error('the download went on at the wrong place');
    }
    if (status !== 206) beginAgain(progress, strongTag(response));
    await keep(response, progress, mostBytes, silence);
  } finally {
    silence.end();
  }
}

/** `fetch` leaves twice the file's size of memory behind that only a collection of garbage frees, a plain request leaves none. */
function requested(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const get = url.protocol === 'https:' ? getHttps : getHttp;
  return new Promise((resolve, reject) => {
    get(url, { headers, signal }, resolve).on('error', reject);
  });
}

/** Writes the body behind what is there. What came before an interruption stays, and the next attempt goes on behind it. */
async function keep(
  response: IncomingMessage,
  progress: Progress,
  mostBytes: number,
  silence: TimeLimit,
): Promise<void> {
  for await (const chunk of response as AsyncIterable<Buffer>) {
    silence.renew();
    if (progress.size + chunk.length > mostBytes) {
      response.destroy();
      const text = `the export has more than ${String(mostBytes)} bytes: narrow it with filter.query`;
      throw new CodedError('invalid', text);
    }
    for (let done = 0; done < chunk.length;) {
      const { bytesWritten } = await progress.file.write(chunk, done, chunk.length - done, progress.size);
      done += bytesWritten;
      progress.size += bytesWritten;
    }
  }
}

function rangeOf({ size, etag }: Progress): Record<string, string> {
  return size === 0 || etag === null ? {} : { range: `bytes=${String(size)}-`, 'if-range': etag };
}

/** True when the response continues exactly after the bytes on disk. */
function goesOn(response: IncomingMessage, { size }: Progress): boolean {
  const range = response.headers['content-range'] ?? '';
  return range.startsWith(`bytes ${String(size)}-`);
}

function beginAgain(progress: Progress, etag: string | null): void {
  progress.etag = etag;
  progress.size = 0;
}

function strongTag(response: IncomingMessage): string | null {
  const tag = response.headers.etag;
  return tag !== undefined && !tag.startsWith('W/') ? tag : null;
}

function safeAddress(address: string, settings: DownloadSettings): URL {
  const url = URL.parse(address);
  if (url !== null && isSafeUrl(url) && (url.protocol === 'https:' || settings.allowHttp)) return url;
  throw new CodedError('transient', 'the store named a file address that is not https');
}
