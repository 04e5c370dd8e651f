import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { BACKOFF } from '../../domain/backoff.js';
import { CodedError, isCoded } from '../../domain/errors.js';
import { TimeLimit } from '../../runtime/time-limit.js';
import { isSafeUrl } from './endpoint.js';
import type { GrowingFile } from './growing-file.js';
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

/** The address has expired: it is valid for seven days. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor(readonly status: number) {
    super(`the file's address answered ${String(status)}`);
  }
}

/** The file that is written, and the strong entity tag of its bytes, which allows a request for the rest. */
interface Progress {
  readonly file: GrowingFile;
  etag: string | null;
}

/**
 * Downloads an export, and says to the file how it ended. The store's token is not sent, because the files are on another host. An
 * interrupted transfer continues where it stopped, or starts again. An expired address is requested again. Where that does not help,
 * or `signal` is aborted, the file gets a `transient` error. Never rejects.
 */
export async function download(
  url: string,
  file: GrowingFile,
  settings: DownloadSettings,
  signal: AbortSignal,
): Promise<void> {
  try {
    await transfer(url, { file, etag: null }, settings, signal);
    file.complete();
  } catch (error) {
    file.fail(error);
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
      await transferOnce(safeAddress(address, settings), progress, settings.timeoutMs, signal);
      return;
    } catch (cause) {
      if (isCoded(cause) || signal.aborted) throw cause;
      // A large file may be interrupted many times, as long as it makes progress.
      if (progress.file.size > furthest) attempt = 1;
      furthest = Math.max(furthest, progress.file.size);
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
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { file } = progress;
  const silence = new TimeLimit(timeoutMs);
  try {
    const headers = { 'accept-encoding': 'identity', ...rangeOf(progress) };
    const response = await requested(url, headers, AbortSignal.any([silence.signal, signal]));
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) {
      response.destroy();
      const passing = status >= 500 || status === 408 || status === 416 || status === 429;
      // 416: no bytes are left, or the file is another one. Start again in both cases.
      if (status === 416) await beginAgain(progress, null);
      throw passing ? new Error(`the download answered ${String(status)}`) : new AddressRefused(status);
    }
    if (status === 206 && !goesOn(response, progress)) {
      response.destroy();
      await beginAgain(progress, null);
      throw new Error('the download went on at the wrong place');
    }
    if (status === 206) await file.trim();
    else await beginAgain(progress, strongTag(response));
    try {
      await kept(response, file, silence);
    } finally {
      // Also what came before an interruption: the next attempt goes on behind it.
      await file.flush();
    }
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

/** Writes the body to the file. */
async function kept(response: IncomingMessage, file: GrowingFile, silence: TimeLimit): Promise<void> {
  for await (const chunk of response as AsyncIterable<Buffer>) {
    silence.renew();
    await file.append(chunk);
    release(chunk);
  }
}

/**
 * Frees the memory of a chunk. It lies outside of V8's heap, where much of it makes V8 begin full collections of garbage. Those
 * take more time than the download.
 */
function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function rangeOf({ file, etag }: Progress): Record<string, string> {
  return file.size === 0 || etag === null ? {} : { range: `bytes=${String(file.size)}-`, 'if-range': etag };
}

/** True when the response continues exactly after the bytes on disk. */
function goesOn(response: IncomingMessage, { file }: Progress): boolean {
  const range = response.headers['content-range'] ?? '';
  return range.startsWith(`bytes ${String(file.size)}-`);
}

async function beginAgain(progress: Progress, etag: string | null): Promise<void> {
  progress.etag = etag;
  await progress.file.empty();
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
