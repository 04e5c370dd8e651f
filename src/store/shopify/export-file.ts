import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { CodedError } from '../../domain/errors.js';
import type { SourceProduct } from '../../domain/store-port.js';
import type { CompletedExport, ReadScope } from './api-types.js';
import { download, type DownloadSettings } from './download.js';
import { type ExportCensus, splitExport } from './export-parts.js';
import { productsOfPart } from './exported-products.js';
import { EXPORT_FOLDER, removeLeftovers } from './leftovers.js';

export interface ExportFileSettings extends DownloadSettings {
  readonly scope: ReadScope;
  readonly spillDir: string | undefined;
  readonly batchSize: number;
  /** Bytes of one part in memory. */
  readonly partBytes: number;
}

/** How many parts of exports are in memory at once in this process. Each takes several times its size. */
const PARTS_AT_ONCE = 2;

/**
 * Reads the file of a completed export: downloads it, splits it by product into parts that fit into memory, and parses part by part. The
 * lines of the file may have any order. No product is returned before the file matches the store's counts
 * (docs/decisions/0015-only-complete-exports-count.md). The temporary files take at most twice the export, and are removed when the stream
 * ends, for whatever reason. Throws `transient`, or `invalid` for an export that is too large.
 */
export async function* readExportFile(
  completed: CompletedExport,
  settings: ExportFileSettings,
  signal?: AbortSignal,
): AsyncGenerator<readonly SourceProduct[]> {
  if (completed.url === null) {
    prove(completed, { lines: 0, roots: 0 });
    return;
  }
  const parent = settings.spillDir ?? tmpdir();
  await mkdir(parent, { recursive: true });
  await removeLeftovers(parent, new Date(), process.getuid?.());
  const folder = await mkdtemp(join(parent, EXPORT_FOLDER));
  try {
    const path = join(folder, 'export.jsonl');
    await download(completed.url, path, settings, signal);
    const { census, parts } = await splitExport(path, folder, settings.partBytes);
    prove(completed, census);
    await rm(path);
    yield* products(parts, settings);
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    throw new CodedError('transient', 'the export could not be kept on disk and read from there', { cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* products(
  parts: readonly string[],
  { scope, batchSize }: ExportFileSettings,
): AsyncGenerator<readonly SourceProduct[]> {
  for (const part of parts) {
    const release = await takePlace();
    try {
      const some = await productsOfPart(part, scope);
      await rm(part);
      for (let from = 0; from < some.length; from += batchSize) yield some.slice(from, from + batchSize);
    } finally {
      release();
    }
  }
}

const places = pLimit(PARTS_AT_ONCE);

/** Waits until another part may be in memory. A reader holds no place while it waits for the store. */
async function takePlace(): Promise<() => void> {
  const taken = Promise.withResolvers<undefined>();
  const released = Promise.withResolvers<undefined>();
  void places(() => {
    taken.resolve(undefined);
    return released.promise;
  });
  await taken.promise;
  return () => {
    released.resolve(undefined);
  };
}

/** Throws `transient` when the file does not hold what the store says. */
function prove({ objects, rootObjects }: CompletedExport, { lines, roots }: ExportCensus): void {
  if (lines === objects && roots === rootObjects) return;
  throw new CodedError(
    'transient',
    `the export is incomplete: the store says ${String(objects)} lines and ${String(rootObjects)} products, ` +
      `the file has ${String(lines)} and ${String(roots)}`,
  );
}
