import { BACKOFF } from '../domain/backoff.js';
import { CodedError } from '../domain/errors.js';
import { parseExternalId, productExternalId } from '../domain/external-id.js';
import type { OwedProduct } from '../domain/owed.js';
import type { CompletedExport, SourceProduct } from '../domain/store-port.js';
import type { OwedRepository } from '../persistence/owed.repository.js';
import type { Clock } from '../runtime/clock.js';
import { killPoint } from '../runtime/kill-point.js';
import type { Store } from '../connections/connections.js';
import { productIdOfEvent } from '../store/events.js';

/** A read of the store: its products in batches, and whether absence proves that a product is gone. */
export interface SourceRead {
  readonly batches: AsyncIterable<readonly SourceProduct[]>;
  /**
   * Called after the last batch with the number of products. Null when the read is proved complete; otherwise the
   * reason.
   */
  readonly incompleteness: (read: number) => Promise<string | null>;
  /** Store ids of requested products that no longer exist. Filled while the batches are read. */
  readonly gone: readonly string[];
  /** Called at the end of the read, in any case. */
  readonly close: () => Promise<void>;
}

export interface Extracted {
  readonly read: SourceRead;
  /** False for a read of what changed. */
  readonly full: boolean;
}

export interface ExportProgress {
  /** Stores the export's handle before the export is awaited. */
  readonly started: (handle: string | null) => Promise<void>;
  readonly waiting: (objects: number) => void;
}

/** Overlap with the previous incremental read, because the store's search lags behind its writes. */
export const INCREMENTAL_OVERLAP_MS = 15 * 60_000;

/**
 * A full read by one export where the store allows it. An export that an earlier process started is adopted.
 * Otherwise the read uses pages. Throws `transient` when the export does not end as completed
 * (docs/decisions/0015-only-complete-exports-count.md).
 */
export async function readAll(
  store: Store,
  operation: string | null,
  progress: ExportProgress,
  clock: Clock,
  signal: AbortSignal,
): Promise<SourceRead> {
  const { connector, settings } = store;
  const { query } = settings.filter;
  const handle = operation ?? (await connector.startExport(query));
  if (handle === null) return readAllByPages(store);
  if (operation === null) {
    killPoint('plan.export-started');
    await progress.started(handle);
    killPoint('plan.handle-stored');
  }
  const completed = await awaitExport(store, handle, progress, clock, signal);
  return readOnce(store, completed, progress, signal);
}

/** A malformed file stays malformed, and its address may have expired, so the next attempt exports again. */
function readOnce(
  store: Store,
  completed: CompletedExport,
  progress: ExportProgress,
  signal: AbortSignal,
): SourceRead {
  let readable = true;
  async function* batches(): AsyncGenerator<readonly SourceProduct[]> {
    try {
      yield* store.connector.readExport(completed, signal);
    } catch (error) {
      readable = signal.aborted;
      throw error;
    }
  }
  return {
    batches: batches(),
    incompleteness: () => Promise.resolve(null),
    gone: [],
    close: async () => {
      if (!readable) await progress.started(null);
    },
  };
}

const nothingToClose = (): Promise<void> => Promise.resolve();

async function awaitExport(
  store: Store,
  handle: string,
  progress: ExportProgress,
  clock: Clock,
  signal: AbortSignal,
): Promise<CompletedExport> {
  for (let polls = 1; ; polls += 1) {
    const state = await store.connector.pollExport(handle);
    if (state.status === 'completed') return state;
    if (state.status === 'failed') {
      await progress.started(null);
      throw new CodedError('transient', `the store's export did not complete: ${state.reason}`);
    }
    progress.waiting(state.objects);
    await clock.sleep(BACKOFF.outsideJob.stepMs(polls), signal);
  }
}

function readAllByPages(store: Store): SourceRead {
  const { query } = store.settings.filter;
  return {
    batches: store.connector.readPages({ query, since: null }),
    incompleteness: async (read) => {
      const expected = await store.connector.countProducts(query);
      if (expected === null) return 'the store did not say how many products there are';
      return read >= expected
        ? null
        : `the store counts ${String(expected)} products, ${String(read)} were read`;
    },
    gone: [],
    close: nothingToClose,
  };
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
  const { query } = store.settings.filter;
  const gone: string[] = [];
  return {
    batches: withBesides(store, store.connector.readPages({ query, since }), besides, gone),
    incompleteness: () => Promise.resolve('an incremental run reads only what changed'),
    gone,
    close: nothingToClose,
  };
}

/** Store ids of owed products, in batches for requests by id. */
export async function* owedStoreIds(owed: OwedRepository, store: string): AsyncGenerator<readonly string[]> {
  for (let after = ''; ;) {
    const page = await owed.page(store, after, OWED_BATCH);
    if (page.length === 0) return;
    yield page.map((product) => product.storeId);
    after = page.at(-1)?.externalId ?? after;
  }
}

const OWED_BATCH = 50;

async function* withBesides(
  store: Store,
  pages: AsyncIterable<readonly SourceProduct[]>,
  besides: AsyncIterable<readonly string[]>,
  gone: string[],
): AsyncGenerator<readonly SourceProduct[]> {
  yield* pages;
  for await (const chunk of besides) {
    const read = await store.connector.readProducts(chunk);
    gone.push(...chunk.filter((_id, index) => read[index] === null));
    yield read.filter((product) => product !== null);
  }
}

/** The product that a stored event names, owed until a run has read it; null for an event that names none. */
export function productOfEvent(store: Store, rawBody: Buffer): OwedProduct | null {
  const storeId = productIdOfEvent(rawBody);
  const number = storeId?.split('/').at(-1) ?? '';
  const externalId = productExternalId(store.settings.shop, number);
  if (storeId === null || parseExternalId(externalId) === null) return null;
  return { externalId, storeId, label: '', code: 'changed', detail: null };
}
