import { BACKOFF } from '../../domain/backoff.js';
import { CodedError } from '../../domain/errors.js';
import type { ReadPart, WholeReadOptions } from '../../domain/store-port.js';
import type { CompletedExport } from './api-types.js';
import type { ShopifyParts } from './parts.js';

/** The parts that read a whole store. */
export interface WholeReadParts extends Pick<ShopifyParts, 'sleep'> {
  readonly exports: Pick<ShopifyParts['exports'], 'start' | 'fits' | 'cancel' | 'poll' | 'read'>;
  readonly pages: Pick<ShopifyParts['pages'], 'products' | 'count' | 'requireHeeded'>;
}

interface WholeRead extends WholeReadOptions {
  readonly resume: string | null;
  readonly onHandle: (handle: string | null) => Promise<void>;
}

/**
 * One export where the store allows it, and pages where it refuses. Only an export that ended as COMPLETED and whose file has as many
 * products as the store reported is whole (docs/decisions/0015-only-complete-exports-count.md). Pages are whole when the store counts
 * no more products than they showed.
 */
export async function* readWhole(
  parts: WholeReadParts,
  query: string,
  read: WholeRead,
): AsyncGenerator<ReadPart> {
  const { onHandle, signal } = read;
  const adopted = await adoptable(parts, query, read);
  // An export comes without notes about its search.
  if (adopted === null && query !== '') await parts.pages.requireHeeded(query);
  const handle = adopted ?? (await parts.exports.start(query));
  if (handle === null) {
    yield* readByPages(parts, query);
    return;
  }
  if (adopted === null) await onHandle(handle);
  const completed = await ended(parts, handle, read);
  try {
    for await (const products of parts.exports.read(completed, signal)) yield { products };
  } catch (error) {
    // A malformed file stays malformed, and its address may have expired, so the next attempt exports again.
    if (signal?.aborted !== true) await onHandle(null);
    throw error;
  }
  yield { complete: true };
}

/** The export of an earlier process; null for none, and for one that was begun under other settings, which is cancelled. */
async function adoptable(
  { exports }: WholeReadParts,
  query: string,
  { resume }: WholeRead,
): Promise<string | null> {
  if (resume === null || (await exports.fits(resume, query))) return resume;
  await exports.cancel(resume);
  return null;
}

async function ended(
  parts: WholeReadParts,
  handle: string,
  { onHandle, onWaiting, signal }: WholeRead,
): Promise<CompletedExport> {
  for (let polls = 1; ; polls += 1) {
    const state = await parts.exports.poll(handle);
    if (state.status === 'completed') return state;
    if (state.status === 'failed') {
      await onHandle(null);
      throw new CodedError('transient', `the store's export did not complete: ${state.reason}`);
    }
    onWaiting?.(state.objects);
    await parts.sleep(BACKOFF.outsideJob.stepMs(polls), signal);
    signal?.throwIfAborted();
  }
}

async function* readByPages(parts: WholeReadParts, query: string): AsyncGenerator<ReadPart> {
  let read = 0;
  for await (const products of parts.pages.products({ query, since: null })) {
    read += products.length;
    yield { products };
  }
  const expected = await parts.pages.count(query);
  if (expected !== null && read >= expected) yield { complete: true };
  else
    yield {
      complete: false,
      why:
        expected === null
          ? 'the store did not say how many products there are'
          : `the store counts ${String(expected)} products, ${String(read)} were read`,
    };
}
