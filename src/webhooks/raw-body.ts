import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../runtime/logger.js';
import type { ByteBudget, Holding } from './byte-budget.js';
import { refuse, refuseForNow } from './reply.js';

/** A delivery over this size can never succeed; polling brings its result. */
export const MAX_DELIVERY_BYTES = 10 * 1024 * 1024;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Taking {
  readonly budget: ByteBudget;
  readonly log: Logger;
  /** For log lines: where the request was sent to. */
  readonly to: Readonly<Record<string, string | undefined>>;
  /** Such as `a delivery`. */
  readonly what: string;
}

/**
 * Hands the body of a request to `use`, and counts its bytes until that ends. Answers a request whose body cannot be taken. Returns
 * the outcome as metrics name it.
 */
export async function withRawBody<T>(
  { request, response }: Exchange,
  { budget, log, to, what }: Taking,
  use: (bytes: Buffer) => Promise<T>,
): Promise<T | 'broken_off' | 'too_large' | 'no_room'> {
  const body = await readRawBody(request, budget);
  switch (body.kind) {
    case 'broken_off':
      break;
    case 'too_large':
      log.warn(to, `${what} over 10 MB was refused`);
      refuse(request, response, 413, `${what} may have 10 MB at most`);
      break;
    case 'no_room':
      log.warn(to, `${what} was postponed: the memory for requests is used up`);
      refuseForNow(request, response);
      break;
    case 'body':
      try {
        return await use(body.bytes);
      } finally {
        body.holding.release();
      }
  }
  return body.kind;
}

export type RawBody =
  /** `holding` counts the bytes until the caller releases it. */
  | { readonly kind: 'body'; readonly bytes: Buffer; readonly holding: Holding }
  | { readonly kind: 'too_large' }
  /** Too many bytes of other requests are in memory. */
  | { readonly kind: 'no_room' }
  /** The sender went away, or was too slow: nobody is left to hear an answer. */
  | { readonly kind: 'broken_off' };

/**
 * The raw bytes of a request, whatever its content type, charset or encoding. The framework's own parsers would
 * answer 413, 400 or 415 before our code runs, and a 4xx is final to the sender. Stops reading at `limit` bytes, or
 * when the budget has no room; `refuse` in reply.ts answers such a request.
 */
export async function readRawBody(
  request: IncomingMessage,
  budget: ByteBudget,
  limit = MAX_DELIVERY_BYTES,
): Promise<RawBody> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return { kind: 'too_large' };
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    const holding = budget.open(() => {
      request.destroy();
    });
    const end = (body: RawBody): void => {
      request.pause();
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      // A destroyed request may still report the reason.
      request.on('error', () => undefined);
      if (body.kind !== 'body') holding.release();
      resolve(body);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) end({ kind: 'too_large' });
      else if (holding.add(chunk.length)) chunks.push(chunk);
      else end({ kind: 'no_room' });
    };
    const onEnd = (): void => {
      holding.complete();
      // A copy would share its memory with others', which keeps all of it when one of them lives on.
      const bytes = chunks.length === 1 ? chunks[0] : undefined;
      end({ kind: 'body', bytes: bytes ?? Buffer.concat(chunks), holding });
    };
    const onGone = (): void => {
      end({ kind: 'broken_off' });
    };
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
