import type { IncomingMessage } from 'node:http';

/** docs/http.md: a delivery over this size can never succeed; polling heals it. */
export const MAX_DELIVERY_BYTES = 10 * 1024 * 1024;
/** What is still read of a body that is refused anyway, so that its sender gets to read the answer. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

export type RawBody =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  /** The sender went away: nobody is left to hear an answer. */
  | { readonly kind: 'broken_off' };

/**
 * The bytes of a request as they came, whatever its content type, charset or encoding says: the framework's own parsers
 * would answer 413, 400 or 415 before any of our code, and a 4xx is final to the sender (docs/decisions/0008-a-4xx-is-final.md).
 */
export async function readRawBody(request: IncomingMessage, limit = MAX_DELIVERY_BYTES): Promise<RawBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_DISCARDED_BYTES) break;
      if (size <= limit) chunks.push(chunk);
    }
  } catch {
    // The stream's only failure is that the other end is gone.
    return { kind: 'broken_off' };
  }
  return size > limit ? { kind: 'too_large' } : { kind: 'body', bytes: Buffer.concat(chunks) };
}
