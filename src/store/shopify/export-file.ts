import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodedError } from '../../domain/errors.js';
import { type CompletedExport, ReadAgainError, type SourceProduct } from '../../domain/store-port.js';
import { download, type DownloadSettings } from './download.js';
import { groupedProducts, NotGroupedError } from './grouped-file.js';
import { EmptiedError, GrowingFile } from './growing-file.js';
import type { ExportCensus } from './jsonl.js';
import { EXPORT_FOLDER, removeLeftovers } from './leftovers.js';
import { partitioned, type PartitionSettings } from './partitioned-file.js';

export interface ExportFileSettings extends DownloadSettings, PartitionSettings {
  readonly spillDir: string | undefined;
  readonly batchSize: number;
  /** No product is returned before the file is complete. */
  readonly whole: boolean;
  /** Called when it shows whether the children of each product follow it. */
  readonly grouped: (isGrouped: boolean) => void;
}

/**
 * Reads the file of a completed export. A file whose children follow their products is read while it is downloaded. Reaching the end
 * proves that it matches the store's counts (docs/decisions/0015-only-complete-exports-count.md). The download and the temporary files
 * end with the stream, for whatever reason that ends. Throws `transient`, as `ReadAgainError` where a second read of the whole file helps.
 */
export async function* readExportFile(
  completed: CompletedExport,
  settings: ExportFileSettings,
): AsyncGenerator<readonly SourceProduct[]> {
  if (completed.url === null) {
    if (completed.objects === 0) return;
    throw disagreement(completed, { lines: 0, roots: 0 });
  }
  const parent = settings.spillDir ?? tmpdir();
  await mkdir(parent, { recursive: true });
  await removeLeftovers(parent, new Date(), process.getuid?.());
  const folder = await mkdtemp(join(parent, EXPORT_FOLDER));
  let file: GrowingFile | undefined;
  try {
    const path = join(folder, 'export.jsonl');
    file = await GrowingFile.create(path);
    yield* downloaded(completed, completed.url, { file, path, folder }, settings);
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    throw new CodedError('transient', 'the export could not be kept on disk and read from there', { cause });
  } finally {
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
    await (file === undefined ? remove() : file.discard(remove));
  }
}

/** Where an export is kept while it is read. */
interface Spilled {
  readonly file: GrowingFile;
  readonly path: string;
  readonly folder: string;
}

async function* downloaded(
  completed: CompletedExport,
  url: string,
  { file, path, folder }: Spilled,
  settings: ExportFileSettings,
): AsyncGenerator<readonly SourceProduct[]> {
  const over = new AbortController();
  const downloading = download(url, file, settings, over.signal);
  try {
    if (!settings.whole && (yield* followed(completed, file, settings))) return;
    await file.completed();
    const products = partitioned(path, folder, settings, (census) => {
      prove(completed, census);
      settings.grouped(census.grouped);
    });
    yield* batches(products, settings, completed.rootObjects);
  } finally {
    over.abort();
    await downloading;
  }
}

/**
 * The products of a file that is still downloaded. Returns false, before the first product, when they have to be read from the complete
 * file. Throws `ReadAgainError` when that shows later.
 */
async function* followed(
  completed: CompletedExport,
  file: GrowingFile,
  settings: ExportFileSettings,
): AsyncGenerator<readonly SourceProduct[], boolean> {
  let returned = false;
  try {
    const products = groupedProducts(file, settings.scope, (census) => {
      prove(completed, census);
    });
    for await (const batch of batches(products, settings, completed.rootObjects)) {
      // A second reading downloads the file again, so that nothing needs what was read.
      if (!returned) file.forget();
      returned = true;
      yield batch;
    }
    return true;
  } catch (cause) {
    if (cause instanceof NotGroupedError) settings.grouped(false);
    else if (!(cause instanceof EmptiedError)) throw cause;
    if (returned) throw new ReadAgainError(cause);
    return false;
  }
}

/** Throws `transient` when the file does not hold what the store says. */
function prove(completed: CompletedExport, census: ExportCensus): void {
  const { objects, rootObjects } = completed;
  if (census.lines !== objects || census.roots !== rootObjects) throw disagreement(completed, census);
}

function disagreement(completed: CompletedExport, census: ExportCensus): CodedError {
  const { objects, rootObjects } = completed;
  return new CodedError(
    'transient',
    `the export is incomplete: the store says ${String(objects)} lines and ${String(rootObjects)} products, ` +
      `the file has ${String(census.lines)} and ${String(census.roots)}`,
  );
}

/**
 * Batches of at most so many products. Throws `transient` at the end when the number differs from the store's count.
 */
async function* batches(
  products: AsyncIterable<readonly SourceProduct[]>,
  { batchSize }: ExportFileSettings,
  expected: number,
): AsyncGenerator<readonly SourceProduct[]> {
  let seen = 0;
  for await (const some of products) {
    seen += some.length;
    for (let from = 0; from < some.length; from += batchSize) yield some.slice(from, from + batchSize);
  }
  // The census counted lines without a parent; this counts the grouped products.
  if (seen !== expected) {
    throw new CodedError(
      'transient',
      `the export held ${String(seen)} products instead of ${String(expected)}`,
    );
  }
}
