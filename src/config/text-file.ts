import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

export type TextFile =
  | { readonly ok: true; readonly text: string }
  /** `code` is the system's error code, such as ENOENT. */
  | { readonly ok: false; readonly code: string; readonly cause: unknown };

const PIPE_LOOK_MS = 20;

/** How long a pipe may send nothing. */
let defaultSilentMs = 10_000;

/** Reads files in `work` without waiting for a pipe: the waiting stops the whole process, so one that serves others has no time for it. */
export function withoutWaiting<T>(work: () => T): T {
  const before = defaultSilentMs;
  defaultSilentMs = 0;
  try {
    return work();
  } finally {
    defaultSilentMs = before;
  }
}

/**
 * The content of a file as UTF-8, or as UTF-16 with its byte-order mark, which is left out. Otherwise the reason why it cannot be read, such
 * as EFBIG above 4 MB.
 */
export function readTextFile(path: string, pipeSilentMs = defaultSilentMs): TextFile {
  try {
    const bytes = readBounded(path, pipeSilentMs);
    // PowerShell writes files in UTF-16.
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
    return { ok: true, text: new TextDecoder(encoding).decode(bytes) };
  } catch (cause) {
    return { ok: false, code: systemCode(cause), cause };
  }
}

/** A configuration of a thousand stores has a tenth of it. A device or a pipe may never end. */
const MOST_BYTES = 4 * 1024 * 1024;

function readBounded(path: string, pipeSilentMs: number): Buffer {
  // A pipe that nobody writes to would block the process: its opening, and each reading. It does not with this flag, which changes
  // nothing for a file. Windows does not have it.
  const flags = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0);
  const file = openSync(path, flags);
  try {
    const isPipe = fstatSync(file).isFIFO();
    const bytes = Buffer.allocUnsafe(MOST_BYTES + 1);
    let size = 0;
    let silentMs = 0;
    while (size < bytes.length) {
      const read = readSome(file, bytes.subarray(size));
      // Nobody has opened the other end of the pipe yet.
      const mayFollow = read === null || (read === 0 && isPipe && size === 0);
      if (!mayFollow && read === 0) break;
      if (mayFollow && silentMs >= pipeSilentMs)
        throw Object.assign(new Error('nothing came from the pipe'), { code: 'ETIMEDOUT' });
      if (mayFollow) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PIPE_LOOK_MS);
      silentMs = mayFollow ? silentMs + PIPE_LOOK_MS : 0;
      size += read ?? 0;
    }
    if (size > MOST_BYTES) throw Object.assign(new Error('the file has more than 4 MB'), { code: 'EFBIG' });
    return bytes.subarray(0, size);
  } finally {
    closeSync(file);
  }
}

/** The number of bytes, 0 at the end; null when none is there yet. */
function readSome(file: number, into: Uint8Array): number | null {
  try {
    return readSync(file, into, 0, into.length, null);
  } catch (error) {
    if (systemCode(error) === 'EAGAIN') return null;
    throw error;
  }
}

/** The code of a system error, such as ENOENT. */
export function systemCode(error: unknown): string {
  const known = typeof error === 'object' && error !== null && 'code' in error;
  return known ? String(error.code) : 'unknown error';
}
