import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompletedExport } from '../../domain/store-port.js';
import { CodedError } from '../../domain/errors.js';
import type { SourceProduct } from '../../domain/store-port.js';
import { download, type DownloadSettings } from './download.js';
import { groupedProducts } from './grouped-file.js';
import type { ExportCensus } from './jsonl.js';
import { EXPORT_FOLDER, removeLeftovers } from './leftovers.js';
import { partitioned, type PartitionSettings } from './partitioned-file.js';

export interface ExportFileSettings extends DownloadSettings, PartitionSettings {
  readonly spillDir: string | undefined;
  readonly batchSize: number;
}

/**
 * Reads the file of a completed export. The whole file is on disk and matches the store's counts before the first
 * product is returned (docs/decisions/0015-only-complete-exports-count.md). The temporary files are removed when the
 * stream ends for any reason. Throws `transient`.
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
  try {
    const path = join(folder, 'export.jsonl');
    const census = await download(completed.url, path, settings);
    if (census.lines !== completed.objects || census.roots !== completed.rootObjects) {
      throw disagreement(completed, census);
    }
    const products = census.grouped
      ? groupedProducts(path, settings.scope)
      : partitioned(path, folder, census, settings);
    yield* batches(products, settings, completed.rootObjects);
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    throw new CodedError('transient', 'the export could not be kept on disk and read from there', { cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function disagreement(completed: CompletedExport, census: Pick<ExportCensus, 'lines' | 'roots'>): CodedError {
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
