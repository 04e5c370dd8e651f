import type { ReadPart, SourceProduct } from '../domain/store-port.js';
import type { ComparedBy } from '../persistence/compared-by.js';
import type { OwedRepository } from '../persistence/owed.repository.js';
import { killPoint } from '../runtime/kill-point.js';
import type { Store } from '../connections/connections.js';
import type { EarlyListing } from './early-listing.js';

/** A read of the store, part by part. */
export interface SourceRead {
  readonly parts: AsyncIterable<ReadPart>;
  /** Store ids of requested products that no longer exist. Filled while the parts are read. */
  readonly gone: readonly string[];
}

export interface Extracted {
  readonly read: SourceRead;
  /** False for a read of what changed. */
  readonly full: boolean;
  /** How a full read is compared with the catalog. */
  readonly comparedBy: ComparedBy;
  /** The catalog's listing, which is read meanwhile. */
  readonly listing?: EarlyListing;
}

export interface ExportProgress {
  /** Stores the handle of the read before the store is awaited. */
  readonly started: (handle: string | null) => Promise<void>;
  readonly waiting: (records: number) => void;
}

/** Overlap with the previous incremental read, because a store's search may lag behind its writes. */
export const INCREMENTAL_OVERLAP_MS = 15 * 60_000;

/** A full read. One that an earlier process began is adopted. What the store prepares for it is ready when this returns. */
export async function readAll(
  { connector }: Store,
  operation: string | null,
  { started, waiting: onWaiting }: ExportProgress,
  signal: AbortSignal,
): Promise<SourceRead> {
  const onHandle = async (handle: string | null): Promise<void> => {
    if (handle !== null) killPoint('plan.export-started');
    await started(handle);
    if (handle !== null) killPoint('plan.handle-stored');
  };
  const parts = connector.readWhole(operation, onHandle, { onWaiting, signal })[Symbol.asyncIterator]();
  const first = await parts.next();
  return { parts: resumed(first, parts), gone: [] };
}

async function* resumed(
  first: IteratorResult<ReadPart>,
  parts: AsyncIterator<ReadPart>,
): AsyncGenerator<ReadPart> {
  try {
    for (let next = first; next.done !== true; next = await parts.next()) yield next.value;
  } finally {
    await parts.return?.();
  }
}

/**
 * Products that changed since the watermark, and the given ones (batches of store ids): the store's search lags
 * behind its writes, a read by id does not. Absence from the pages proves nothing; absence by id does.
 */
export function readChanges(
  store: Store,
  watermark: Date,
  besides: AsyncIterable<readonly string[]>,
): SourceRead {
  const since = new Date(watermark.getTime() - INCREMENTAL_OVERLAP_MS);
  const gone: string[] = [];
  return { parts: withBesides(store, store.connector.readChanged(since), besides, gone), gone };
}

/** Store ids of the products that a run reads whether they changed or not, in batches for requests by id. */
export async function* storeIdsBesides(
  owed: OwedRepository,
  store: string,
): AsyncGenerator<readonly string[]> {
  yield* inBatches((after) => owed.page(store, after, BATCH));
  yield* inBatches((after) => owed.waitingForFreed(store, after, BATCH));
}

const BATCH = 50;

async function* inBatches(
  pageAfter: (after: string) => Promise<readonly { readonly externalId: string; readonly storeId: string }[]>,
): AsyncGenerator<readonly string[]> {
  for (let after = ''; ;) {
    const page = await pageAfter(after);
    if (page.length === 0) return;
    yield page.map(({ storeId }) => storeId);
    after = page.at(-1)?.externalId ?? after;
  }
}

async function* withBesides(
  store: Store,
  pages: AsyncIterable<readonly SourceProduct[]>,
  besides: AsyncIterable<readonly string[]>,
  gone: string[],
): AsyncGenerator<ReadPart> {
  for await (const products of pages) yield { products };
  for await (const chunk of besides) {
    const read = await store.connector.readProducts(chunk);
    gone.push(...chunk.filter((_id, index) => read[index] === null));
    yield { products: read.filter((product) => product !== null) };
  }
  yield { complete: false, why: 'an incremental run reads only what changed' };
}
