import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { assumptionOverridesSchema, resolveAssumptions } from '../catalog/assumptions.js';
import type { CatalogProduct } from '../catalog/schemas.js';
import { BACKOFF } from '../domain/backoff.js';
import type { CatalogProductBody } from '../domain/catalog-product.js';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine, type ErrorCode } from '../domain/errors.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import { ActionRepository, type ActionRange, type AppliedAction } from '../persistence/action.repository.js';
import { Database } from '../persistence/database.js';
import type { SyncActionEntity, SyncRunEntity } from '../persistence/entities/index.js';
import type { CsvUpload } from '../persistence/entities/sync-run.entity.js';
import { ownersByIdentifier } from '../persistence/identifier-owners.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { csvHeading, csvRow, missingFields, type CsvFormat } from '../planner/csv-rows.js';
import { bareBody } from '../planner/identifier-refusals.js';
import { sharedSincePlan } from '../planner/identity.js';
import { fieldHashes, withoutIdentifiers } from '../planner/map-to-catalog.js';
import { Clock } from '../runtime/clock.js';
import { killPoint } from '../runtime/kill-point.js';
import type { Store } from '../sites/sites.js';
import { shownContent } from './apply.js';
import { variantLinksOf } from './find-product.js';
import type { Outage } from './outage.js';
import { plannedChange } from './resolve-identities.js';

/** A run that may load a store's products as CSV files. */
export interface LoadingRun extends Pick<SyncRunEntity, 'id' | 'identifiersProved' | 'csvUpload'> {
  /** Stores how far the upload has come; throws when this worker no longer holds the run. */
  readonly save: (upload: CsvUpload) => Promise<void>;
  /** Throws when another worker may have the run. */
  readonly assertHeld: () => void;
}

export interface LoadOptions {
  readonly outage: Outage;
  readonly signal: AbortSignal;
  readonly onProgress: (linked: number) => void;
}

/** A creation as the file has it. */
interface FileProduct {
  readonly action: SyncActionEntity;
  readonly withheld: readonly WithheldIdentifier[];
  /** The body that the catalog shall hold. */
  readonly body: CatalogProductBody;
  /** The part of it that the file contains. Identifiers are included only if the plan proved that no other product has them. */
  readonly sent: CatalogProductBody;
}

interface NextFile {
  readonly after: string;
  readonly upTo: string;
  readonly rows: number;
}

type UploadAnswer =
  | { readonly kind: 'accepted'; readonly taskId: string | null }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly reason: string };

const CHUNK = 200;
/** An import that takes longer is looked for in the listing, as if its task could not be read. */
const IMPORT_MOST_MS = 7_200_000;
const COUNT_EVERY_MS = 10_000;
/** Without a readable task, an import has ended once the catalog gained no product for this long. */
const STILL_MS = 60_000;

/** A file may be refused where requests are not: its path, its format or its size may be wrong. */
const REFUSALS: readonly ErrorCode[] = ['invalid', 'not_found', 'conflict', 'misconfigured'];

/** A service that closes the connection on each file gives no answer, and a file without an answer costs a minute of waiting. */
const MOST_UNANSWERED = 2;
const NO_ANSWERS = 'two files, one after the other, got no answer';

const TOO_LARGE = ' (the file is too large: lower assumptions.uploadCsv.maxBytes)';

const BEGINNING: CsvUpload = {
  state: 'imported',
  upTo: '0',
  acceptedUpTo: '0',
  taskId: null,
  reason: null,
};

/**
 * The first load of a store as CSV files (`firstLoad: csv` in docs/configuration.md). A file may match products like a POST, so its
 * rows carry what a POST may carry. The listing decides what came in: a product that it shows with our external_id is linked, and
 * its missing fields are sent by a request. Everything else is sent by requests, as without files.
 */
@Injectable()
export class FirstLoad {
  constructor(
    private readonly db: Database,
    private readonly actions: ActionRepository,
    private readonly links: LinkRepository,
    private readonly clock: Clock,
  ) {}

  /** Uploads and links a store's creations. Returns remarks about the run. Does nothing for a store that has linked products. */
  async load(run: LoadingRun, store: Store, options: LoadOptions): Promise<readonly string[]> {
    if (store.workspace.settings.firstLoad !== 'csv') return [];
    if (run.csvUpload === null && (await this.links.hasLinked(store.key))) return [];
    const upload = await this.#uploadAll(run, store, options);
    if (upload.acceptedUpTo !== '0' && upload.state !== 'linked') {
      killPoint('load.imported');
      await this.#linkImported(run, store, upload.acceptedUpTo, options);
      killPoint('load.linked');
      await run.save({ ...upload, state: 'linked' });
    }
    if (upload.reason === null) return [];
    return [`the CSV upload was given up, so that requests were used: ${upload.reason}`];
  }

  async #uploadAll(run: LoadingRun, store: Store, options: LoadOptions): Promise<CsvUpload> {
    let upload = run.csvUpload ?? BEGINNING;
    for (;;) {
      if (upload.state === 'sending' || upload.state === 'sent') {
        await this.#untilImported(store, upload.taskId, options);
        const isGivenUp = (upload.unanswered ?? 0) >= MOST_UNANSWERED;
        upload = isGivenUp
          ? { ...upload, state: 'refused', reason: NO_ANSWERS }
          : { ...upload, state: 'imported' };
        await run.save(upload);
      }
      if (upload.state === 'refused' || upload.state === 'linked') return upload;
      const next = await this.#nextFile(run, store, upload.upTo);
      if (next === null) return upload;
      upload = await this.#uploadFile(run, store, upload, next, options);
      await run.save(upload);
      killPoint('load.accepted');
    }
  }

  /** The creations after an action that fit into one file; null when there are none. Some of them may have no row in it. */
  async #nextFile(run: LoadingRun, store: Store, after: string): Promise<NextFile | null> {
    const { format, maxRows } = formatOf(store);
    let upTo: string | null = null;
    let rows = 0;
    let bytes = Buffer.byteLength(csvHeading(format));
    for await (const products of this.#products(run, store, { after, upTo }))
      for (const { action, sent } of products) {
        const row = csvRow(sent, format);
        if (row !== null) {
          bytes += Buffer.byteLength(row);
          if (upTo !== null && (rows === maxRows || bytes > format.maxBytes)) return { after, upTo, rows };
          rows += 1;
        }
        upTo = action.id;
      }
    return upTo === null ? null : { after, upTo, rows };
  }

  /** The file is noted before it is sent: a worker that dies leaves a row, and the next one does not upload it again. */
  async #uploadFile(
    run: LoadingRun,
    store: Store,
    before: CsvUpload,
    next: NextFile,
    { outage }: LoadOptions,
  ): Promise<CsvUpload> {
    const { upTo } = next;
    const file = { ...before, state: 'imported', upTo, taskId: null } as const;
    if (next.rows === 0) return file;
    await run.save({ ...file, state: 'sending', acceptedUpTo: upTo });
    killPoint('load.noted');
    const open = (): Readable => Readable.from(this.#lines(run, store, next), { objectMode: false });
    const answer = await outage.through(() => upload(run, store, open, `products-${upTo}.csv`));
    killPoint('load.sent');
    switch (answer.kind) {
      case 'accepted':
        return { ...file, state: 'sent', acceptedUpTo: upTo, taskId: answer.taskId, unanswered: 0 };
      case 'unknown':
        return { ...file, state: 'sending', acceptedUpTo: upTo, unanswered: (before.unanswered ?? 0) + 1 };
      case 'refused':
        return { ...file, state: 'refused', reason: answer.reason };
    }
  }

  async *#lines(run: LoadingRun, store: Store, range: ActionRange): AsyncGenerator<Buffer> {
    const { format } = formatOf(store);
    yield Buffer.from(csvHeading(format));
    for await (const products of this.#products(run, store, range))
      yield Buffer.from(products.map(({ sent }) => csvRow(sent, format) ?? '').join(''));
  }

  /** The creations of a range that are still open, some at a time. */
  async *#products(
    run: LoadingRun,
    store: Store,
    { after, upTo }: ActionRange,
  ): AsyncGenerator<FileProduct[]> {
    for (let last: string | undefined = after; last !== undefined;) {
      const actions = await this.actions.creations(run.id, { after: last, upTo }, CHUNK);
      if (actions.length > 0) yield await this.#asInFile(run, store, actions);
      last = actions.at(-1)?.id;
    }
  }

  async #asInFile(
    run: LoadingRun,
    store: Store,
    actions: readonly SyncActionEntity[],
  ): Promise<FileProduct[]> {
    const products = actions.map(({ externalId }) => externalId);
    const owners = await ownersByIdentifier(
      this.db,
      { workspace: store.workspace.key, store: store.key },
      products,
    );
    return actions.map((action) => {
      const change = plannedChange(action);
      const withheld = [...change.withheld, ...sharedSincePlan(change, owners)];
      const body = withoutIdentifiers(change.body, withheld);
      const isProved = run.identifiersProved && !action.unproved;
      return { action, withheld, body, sent: isProved ? body : bareBody(body) };
    });
  }

  /** Waits until the service has read the file, as far as that can be known. */
  async #untilImported(store: Store, taskId: string | null, options: LoadOptions): Promise<void> {
    if (taskId !== null && (await this.#untilTaskEnds(store, taskId, options))) return;
    await this.#untilCountStandsStill(store, options);
  }

  /** False when the task cannot be read, or does not end. */
  async #untilTaskEnds(store: Store, taskId: string, { signal }: LoadOptions): Promise<boolean> {
    const until = this.clock.now().getTime() + IMPORT_MOST_MS;
    for (let looks = 1; this.clock.now().getTime() < until; looks += 1) {
      try {
        const { state } = await store.workspace.client.getBackgroundTask(taskId);
        if (state !== 'running') return true;
      } catch (error) {
        if (!(error instanceof CodedError)) throw error;
        if (reactionTo('task', error) === 'give_up') return false;
      }
      await this.clock.sleep(BACKOFF.outsideJob.stepMs(looks), signal);
    }
    return false;
  }

  async #untilCountStandsStill(store: Store, { outage, signal }: LoadOptions): Promise<void> {
    const { client } = store.workspace;
    const count = async (): Promise<number | null> =>
      (await outage.through(() => client.listProducts())).count ?? null;
    let last = await count();
    for (let stillMs = 0; stillMs < STILL_MS;) {
      await this.clock.sleep(COUNT_EVERY_MS, signal);
      const now = await count();
      stillMs = now === last ? stillMs + COUNT_EVERY_MS : 0;
      last = now;
    }
  }

  /** Walks the listing, newest first, and links what it shows of the files. The other products are sent by requests. */
  async #linkImported(
    run: LoadingRun,
    store: Store,
    upTo: string,
    { outage, signal, onProgress }: LoadOptions,
  ): Promise<void> {
    let linked = 0;
    let listed: CatalogProduct[] = [];
    const flush = async (): Promise<void> => {
      signal.throwIfAborted();
      linked += await this.#linkListed(run, store, listed);
      onProgress(linked);
      listed = [];
    };
    await outage.through(async () => {
      const newestFirst = { sorting: 'desc', orderBy: 'date' } as const;
      for await (const product of store.workspace.client.iterateProducts(newestFirst)) {
        if ((product.external_id ?? '') !== '') listed.push(product);
        if (listed.length >= CHUNK) await flush();
      }
      await flush();
    });
    await this.#noteUnseen(run, store, upTo);
  }

  async #linkListed(run: LoadingRun, store: Store, listed: readonly CatalogProduct[]): Promise<number> {
    const byExternalId = new Map(listed.map((product) => [product.external_id ?? '', product]));
    const actions = await this.actions.creationsOf(run.id, [...byExternalId.keys()]);
    if (actions.length === 0) return 0;
    const stale = await this.actions.stale({
      store: store.key,
      externalIds: actions.map(({ externalId }) => externalId),
    });
    const { format } = formatOf(store);
    const limit = pLimit(store.workspace.client.requestsAtOnce);
    const inFile = await this.#asInFile(run, store, actions);
    const applied = await Promise.all(
      inFile.map((found) =>
        limit(async (): Promise<AppliedAction | null> => {
          const { id, externalId } = found.action;
          const product = byExternalId.get(externalId);
          if (product === undefined) return null;
          const missing = missingFields(found.body, product, { sent: found.sent, format });
          if (missing.length === 0 && !stale.has(externalId)) return asApplied(store, found, product);
          await this.actions.found(id, String(product.id), missing);
          return null;
        }),
      ),
    );
    const whole = applied.filter((result) => result !== null);
    if (whole.length > 0) await this.actions.applied(whole);
    return actions.length;
  }

  /** A product of a file that the listing does not show may still come: the request that creates it looks for it first. */
  async #noteUnseen(run: LoadingRun, store: Store, upTo: string): Promise<void> {
    const { format } = formatOf(store);
    for await (const products of this.#products(run, store, { after: '0', upTo })) {
      const unseen = products.filter(({ sent }) => csvRow(sent, format) !== null);
      if (unseen.length > 0) await this.actions.mayExist(unseen.map(({ action }) => action.id));
    }
  }
}

function formatOf({ workspace }: Store): { readonly format: CsvFormat; readonly maxRows: number } {
  const { columns, listSeparator, maxRows, maxBytes } = resolveAssumptions(
    assumptionOverridesSchema.parse(workspace.settings.assumptions),
  ).uploadCsv;
  return { format: { columns, listSeparator, maxBytes }, maxRows };
}

/** A refusal that a request would not meet is no failure of the run. An unknown outcome is not repeated. */
async function upload(
  run: LoadingRun,
  store: Store,
  file: () => Readable,
  filename: string,
): Promise<UploadAnswer> {
  try {
    const { taskId } = await store.workspace.client.uploadCsv(file, filename, { beforeSend: run.assertHeld });
    return { kind: 'accepted', taskId: taskId ?? null };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    if (error.outcomeUnknown) return { kind: 'unknown' };
    const isForbidden = error.code === 'auth' && error.status === 403;
    if (!isForbidden && !REFUSALS.includes(error.code)) throw error;
    const advice = error.status === 413 ? TOO_LARGE : '';
    return { kind: 'refused', reason: `${errorLine(error)}${advice}` };
  }
}

async function asApplied(
  store: Store,
  { action, withheld, body }: FileProduct,
  product: CatalogProduct,
): Promise<AppliedAction> {
  const handle = body.metadata?.['handle'];
  const isModel = (body.variants ?? []).length > 0;
  return {
    actionId: action.id,
    workspace: store.workspace.key,
    withheld,
    pushedFields: fieldHashes(body),
    catalogId: String(product.id),
    creationTaskId: null,
    released: false,
    variantLinks: isModel ? await variantLinksOf(store.workspace.client, product) : {},
    handle: typeof handle === 'string' ? handle : null,
    ...shownContent(store, action, product),
  };
}
