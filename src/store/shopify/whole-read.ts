import { BACKOFF } from '../../domain/backoff.js';
import { CodedError } from '../../domain/errors.js';
import type { ReadPart, WholeReadOptions } from '../../domain/store-port.js';
import type { ShopifyApi } from './api.js';
import type { CompletedExport } from './api-types.js';
import type { Sleep } from './options.js';

/** The calls that a whole read is made of. */
export type WholeReadApi = Pick<
  ShopifyApi,
  'startExport' | 'pollExport' | 'readExport' | 'readPages' | 'countProducts'
>;

interface WholeRead extends WholeReadOptions {
  readonly resume: string | null;
  readonly onHandle: (handle: string | null) => Promise<void>;
  readonly sleep: Sleep;
}

/**
 * One export where the store allows it, and pages where it refuses. Only an export that ended as COMPLETED and whose file has as many
 * products as the store reported is whole (docs/decisions/0015-only-complete-exports-count.md). Pages are whole when the store counts
 * no more products than they showed.
 */
export async function* readWhole(
  api: WholeReadApi,
  query: string,
  read: WholeRead,
): AsyncGenerator<ReadPart> {
  const { resume, onHandle, signal } = read;
  const handle = resume ?? (await api.startExport(query));
  if (handle === null) {
    yield* readByPages(api, query);
    return;
  }
  if (resume === null) await onHandle(handle);
  const completed = await ended(api, handle, read);
  try {
    for await (const products of api.readExport(completed, signal)) yield { products };
  } catch (error) {
    // A malformed file stays malformed, and its address may have expired, so the next attempt exports again.
    if (signal?.aborted !== true) await onHandle(null);
    throw error;
  }
  yield { complete: true };
}

async function ended(
  api: WholeReadApi,
  handle: string,
  { onHandle, onWaiting, signal, sleep }: WholeRead,
): Promise<CompletedExport> {
  for (let polls = 1; ; polls += 1) {
    const state = await api.pollExport(handle);
    if (state.status === 'completed') return state;
    if (state.status === 'failed') {
      await onHandle(null);
      throw new CodedError('transient', `the store's export did not complete: ${state.reason}`);
    }
    onWaiting?.(state.objects);
    await sleep(BACKOFF.outsideJob.stepMs(polls), signal);
    signal?.throwIfAborted();
  }
}

async function* readByPages(api: WholeReadApi, query: string): AsyncGenerator<ReadPart> {
  let read = 0;
  for await (const products of api.readPages({ query, since: null })) {
    read += products.length;
    yield { products };
  }
  const expected = await api.countProducts(query);
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
