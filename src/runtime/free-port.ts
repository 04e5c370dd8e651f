import { createServer } from 'node:net';
import { CodedError } from '../domain/errors.js';

const LOOPBACK = '127.0.0.1';
/** Systems give outgoing connections ports from 32,768 (Linux) or 49,152 (macOS, Windows) on. */
const LOWEST = 15_432;
const COUNT = 16_000;
const ATTEMPTS = 50;

export interface FreePortOptions {
  /** The port to use if it is free. */
  readonly preferred?: number | null;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Whether the caller may have this port; every port by default. For callers that must not choose the same. */
  readonly mayTake?: (port: number) => Promise<boolean>;
}

/**
 * A port of loopback that nobody listens on, for a server that starts later or again. It is below the range of outgoing connections.
 * A port that the system chooses (`listen(0)`) is from that range: as soon as it is closed, any connection may take it. Throws
 * `transient` when fifty ports in a row are taken.
 */
export async function freePort({
  preferred = null,
  random,
  mayTake = () => Promise.resolve(true),
}: FreePortOptions): Promise<number> {
  if (preferred !== null && (await isFree(preferred))) return preferred;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = LOWEST + Math.floor(random() * COUNT);
    if ((await isFree(port)) && (await mayTake(port))) return port;
  }
  throw new CodedError('transient', `no free port on ${LOOPBACK}`);
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ host: LOOPBACK, port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
