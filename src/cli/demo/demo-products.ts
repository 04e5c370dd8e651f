import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CodedError, errorLine } from '../../domain/errors.js';
import { demoCatalogCsv } from '../../sandbox/demo-catalog/demo-catalog.js';
import {
  decodeExport,
  readProductCsv,
  type ImportedProduct,
  type ReadExport,
} from '../../sandbox/store/index.js';

/** The largest export that is read: it is held in memory as a whole. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * The products of an export's file, or of the built-in catalogue when no file is named. Throws `misconfigured` for a file that
 * cannot be read, `invalid` for one that is no export of Shopify, or one without a product that the demo would synchronise.
 */
export async function readDemoProducts(file: string | undefined): Promise<ReadExport> {
  if (file === undefined) return readProductCsv(demoCatalogCsv(), 'the built-in catalogue');
  const name = basename(file);
  const read = readProductCsv(decodeExport(await bytesOf(file), name), name);
  if (read.products.some(isSynchronised)) return read;
  const [problem] = read.problems;
  if (problem && read.products.length === 0) throw problem;
  throw new CodedError(
    'invalid',
    `${name}: none of its ${String(read.products.length)} products is active, so the demo has nothing to synchronise`,
  );
}

/** The demo's store takes active products and leaves gift cards out, as `filter` does by default. */
export function isSynchronised({
  status,
  isGiftCard,
}: Pick<ImportedProduct, 'status' | 'isGiftCard'>): boolean {
  return status === 'ACTIVE' && !isGiftCard;
}

async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(file);
    if (size > MOST_BYTES)
      throw new CodedError('invalid', `it is larger than ${String(MOST_BYTES / 1024 / 1024)} MB`);
    return await readFile(file);
  } catch (error) {
    throw new CodedError('misconfigured', `${file} cannot be read: ${errorLine(error)}`);
  }
}
