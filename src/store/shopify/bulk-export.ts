import { BACKOFF } from '../../domain/backoff.js';
import { CodedError, isCoded } from '../../domain/errors.js';
import type { SourceProduct } from '../../domain/store-port.js';
import type { CompletedExport, ExportState } from './api-types.js';
import type { ShopifyClient } from './client.js';
import { BULK_CANCEL, BULK_POLL, BULK_RECENT, BULK_RUN, bulkProductsText } from './documents.js';
import { type ExportFileSettings, readExportFile } from './export-file.js';
import { refusedWith } from './faults.js';
import type { Logger } from '../../runtime/logger.js';
import { type BulkOperation, bulkCancelData, bulkPollData, bulkRecentData, bulkRunData } from './schemas.js';
import { productSearch } from './search.js';
import type { SourceLocales } from './source-locales.js';

export interface BulkSettings {
  readonly client: ShopifyClient;
  readonly locales: SourceLocales;
  readonly file: Omit<ExportFileSettings, 'freshUrl'>;
  readonly now: () => number;
  readonly log?: Logger | undefined;
}

/** How long to wait for a slot before pages are used instead. */
const SLOT_WAIT_MS = 60_000;
/** The clocks of both sides are compared in whole minutes. */
const CLOCKS_APART_MS = 60_000;

/** Full exports by bulk operations. They cost no points, and have no cost limit. */
export class BulkExport {
  constructor(private readonly settings: BulkSettings) {}

  /**
   * The operation's id. Null where bulk operations are unavailable: not enabled for the app, refused, or all slots
   * taken for a minute. If the outcome of the start is unknown, the operation is looked up. If it cannot be
   * found, throws `transient` with `outcomeUnknown`.
   */
  async start(query: string): Promise<string | null> {
    const { file } = this.settings;
    const text = await this.textFor(query);
    let waitedMs = 0;
    for (let refusals = 1; ; refusals += 1) {
      const started = await this.startOnce(text);
      if (started !== 'busy') return started.id;
      if (waitedMs >= SLOT_WAIT_MS) {
        this.settings.log?.warn({ waitedMs }, 'all bulk operation slots are taken: reading by pages instead');
        return null;
      }
      const waitMs = BACKOFF.exportSlot.stepMs(refusals);
      await file.sleep(waitMs);
      waitedMs += waitMs;
    }
  }

  /** False for an operation that reads something else than `start` would: the settings have changed since. */
  async fits(id: string, query: string): Promise<boolean> {
    const text = (await this.find(id))?.query;
    return text === undefined || text === (await this.textFor(query));
  }

  private async textFor(query: string): Promise<string> {
    const { locales, file } = this.settings;
    return bulkProductsText(
      productSearch(query),
      file.scope.variantMetafields,
      await locales.readable(),
      await locales.readableOfMetafields(),
    );
  }

  /**
   * The state of the operation. Only COMPLETED counts, because a cancelled operation may offer a file with a part of
   * the products.
   */
  async poll(id: string): Promise<ExportState> {
    const operation = await this.find(id);
    if (operation === null)
      return { status: 'failed', reason: 'the store does not know this bulk operation' };
    const { status, errorCode, objectCount: objects, rootObjectCount: rootObjects } = operation;
    switch (status) {
      case 'CREATED':
      case 'RUNNING':
      case 'CANCELING':
        return { status: 'running', objects };
      case 'COMPLETED': {
        const url = operation.url ?? null;
        if (url === null && objects > 0) {
          return { status: 'failed', reason: 'the bulk operation completed but offers no file' };
        }
        return { status: 'completed', handle: id, url, objects, rootObjects };
      }
      default: {
        const why = errorCode === null || errorCode === undefined ? '' : ` (${errorCode})`;
        return { status: 'failed', reason: `the bulk operation ended as ${status}${why}` };
      }
    }
  }

  /** The products of a completed operation's file, whose address may have to be asked for again. */
  read(completed: CompletedExport, signal?: AbortSignal): AsyncIterable<readonly SourceProduct[]> {
    const freshUrl = async (): Promise<string | null> => {
      const state = await this.poll(completed.handle);
      return state.status === 'completed' ? state.url : null;
    };
    return readExportFile(completed, { ...this.settings.file, freshUrl }, signal);
  }

  /** Cancels the operation. One that has already ended is ignored; the store reports it as a user error. */
  async cancel(id: string): Promise<void> {
    const { data } = await this.settings.client.run(BULK_CANCEL, { id }, bulkCancelData);
    const [refusal] = data.bulkOperationCancel.userErrors;
    if (refusal === undefined) return;
    const state = await this.poll(id);
    if (state.status === 'running') {
      throw new CodedError('conflict', `the store did not cancel the bulk operation: ${refusal.message}`);
    }
  }

  private async startOnce(text: string): Promise<{ readonly id: string | null } | 'busy'> {
    const startedAtMs = this.settings.now();
    try {
      const { data } = await this.settings.client.run(BULK_RUN, { query: text }, bulkRunData);
      const { bulkOperation, userErrors } = data.bulkOperationRunQuery;
      if (userErrors.some(({ code }) => code === 'OPERATION_IN_PROGRESS' || code === 'LIMIT_REACHED'))
        return 'busy';
      if (userErrors.length === 0 && bulkOperation !== null) return bulkOperation;
      return this.refused(userErrors.map((error) => error.message).join(' '));
    } catch (error) {
      const denied = refusedWith(error, 'ACCESS_DENIED') || (isCoded(error, 'auth') && error.status === 403);
      if (denied) return this.refused(error.message);
      if (isCoded(error) && error.outcomeUnknown)
        return { id: await this.findStarted(text, startedAtMs, error) };
      throw error;
    }
  }

  private refused(reason: string): { readonly id: null } {
    this.settings.log?.warn({ reason }, 'the store refuses bulk operations: reading by pages instead');
    return { id: null };
  }

  /**
   * No response arrived, but the store may have started the operation. A second start would take a second slot. One that was begun before,
   * such as that of a dry run, does not show what has changed since.
   */
  private async findStarted(text: string, startedAtMs: number, error: CodedError): Promise<string> {
    const recent = await this.settings.client
      .run(BULK_RECENT, { first: 10 }, bulkRecentData)
      .catch((cause: unknown) => {
        const details = { cause, outcomeUnknown: true };
        throw new CodedError('transient', `${error.message}; and it could not be looked for`, details);
      });
    const since = startedAtMs - this.settings.client.behindMs - CLOCKS_APART_MS;
    const running = recent.data.bulkOperations.nodes.find(
      ({ status, query, createdAt }) =>
        query === text && Date.parse(createdAt) >= since && (status === 'CREATED' || status === 'RUNNING'),
    );
    if (running === undefined) throw error;
    return running.id;
  }

  private async find(id: string): Promise<BulkOperation | null> {
    try {
      const { data } = await this.settings.client.run(BULK_POLL, { id }, bulkPollData);
      return data.bulkOperation;
    } catch (error) {
      if (isCoded(error, 'not_found')) return null;
      throw error;
    }
  }
}
