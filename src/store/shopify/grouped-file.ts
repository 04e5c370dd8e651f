import { CodedError } from '../../domain/errors.js';
import type { ReadScope } from '../../domain/store-port.js';
import { ExportedProduct } from './exported-product.js';
import type { GrowingFile } from './growing-file.js';
import {
  type ExportCensus,
  idToken,
  LINE_END,
  parentToken,
  parseLine,
  placeOf,
  ProductGroup,
  type RawLine,
  refuseLongLine,
  strayChild,
  textOf,
} from './jsonl.js';

const READ_BYTES = 1024 * 1024;
const BUFFERS = 4;
/** The first read is this much smaller, and each next one is twice as large, so that planning can start early. */
const FIRST_SHARE = 1 / 8;

/** A line of the export does not belong to the product before it. */
export class NotGroupedError extends CodedError {
  constructor(line: RawLine) {
    const { code, message } = strayChild(line);
    super(code, message);
  }
}

/**
 * The products of an export in which children follow their product, in batches and in file order, while the file is still written.
 * Four buffers are reused in turn, so that reading creates no garbage. A product is valid until the fourth batch after its own is
 * requested. `prove` gets the census of the complete file before the last batch. Throws `NotGroupedError` when the export is not
 * grouped, `transient` when its last line is truncated, and whatever `file` throws.
 */
export async function* groupedProducts(
  file: Pick<GrowingFile, 'read'>,
  scope: ReadScope,
  prove: (census: ExportCensus) => void,
  readBytes = READ_BYTES,
): AsyncGenerator<readonly ExportedProduct[]> {
  let buffer = newBuffer(readBytes);
  const others = Array.from({ length: BUFFERS - 1 }, () => newBuffer(readBytes));
  let filled = 0;
  let line = 1;
  let roots = 0;
  let atOnce = Math.ceil(readBytes * FIRST_SHARE);
  for (;;) {
    // One product fills the buffer, so the buffer grows.
    if (filled === buffer.length) buffer = larger(buffer);
    const read = await file.read(buffer, filled, Math.min(buffer.length - filled, atOnce));
    atOnce *= 2;
    filled += read.bytesRead;
    const found = groupsOf(buffer.subarray(0, filled), line, read.ended, scope);
    roots += found.products.length;
    if (read.ended) {
      if (found.last !== null) parseLine(found.last);
      prove({ lines: found.last?.number ?? 0, roots });
    }
    if (found.products.length > 0) yield found.products;
    if (read.ended) return;
    if (found.rest === 0) continue;
    // An incomplete product moves to the next buffer, where its end will follow.
    let next = others.shift();
    if (next === undefined || next.length < buffer.length) next = newBuffer(buffer.length);
    buffer.copy(next, 0, found.rest, filled);
    others.push(buffer);
    buffer = next;
    filled -= found.rest;
    line = found.line;
  }
}

/** A buffer of its own: small, long-lived objects would keep a pool's memory. */
function newBuffer(bytes: number): Buffer {
  return Buffer.allocUnsafeSlow(bytes);
}

/** The buffer with twice the room. A file without line ends must not fill the memory. */
function larger(buffer: Buffer): Buffer {
  refuseLongLine(buffer.length - (buffer.lastIndexOf(LINE_END) + 1));
  return Buffer.concat([buffer], buffer.length * 2);
}

interface Groups {
  readonly products: readonly ExportedProduct[];
  /** Start of the first product that may be incomplete, and the number of its line. */
  readonly rest: number;
  readonly line: number;
  /** The last line that was looked at; null when there was none. */
  readonly last: RawLine | null;
}

/** The product whose lines are being looked at: where its own one starts, and the number of that line. */
interface OpenGroup {
  readonly at: number;
  readonly id: string;
  readonly number: number;
  readonly group: ProductGroup;
}

/**
 * The complete products at the start of `chunk`, whose first line has the number `line`. At the end of the file, all
 * are complete.
 */
function groupsOf(chunk: Buffer, line: number, ended: boolean, scope: ReadScope): Groups {
  const products: ExportedProduct[] = [];
  let open = null as OpenGroup | null;
  const close = (end: number): void => {
    if (open !== null) products.push(new ExportedProduct(open.id, chunk, [open.number], scope, open.at, end));
  };
  let number = line;
  let [lastStart, lastEnd] = [0, 0];
  for (let start = 0; start < chunk.length;) {
    const found = chunk.indexOf(LINE_END, start);
    if (found === -1 && !ended) break;
    const end = found === -1 ? chunk.length : found;
    if (end > start) {
      if (open?.group.hasUsual(start, end) !== true) {
        const bytes = chunk.subarray(start, end);
        const parent = parentToken(bytes);
        if (parent === undefined) {
          close(start - 1);
          const token = idToken(bytes);
          const id = token === null ? placeOf({ number, bytes }).id : textOf(token);
          open = { at: start, id, number, group: new ProductGroup(chunk, token, end + 1) };
        } else if (parent === null || open?.group.has(start, parent) !== true) {
          throw new NotGroupedError({ number, bytes });
        }
      }
      lastStart = start;
      lastEnd = end;
      number++;
    }
    start = end + 1;
  }
  if (ended) close(chunk.at(-1) === LINE_END ? chunk.length - 1 : chunk.length);
  return {
    products,
    rest: open?.at ?? 0,
    line: open?.number ?? line,
    last: number === line ? null : { number: number - 1, bytes: chunk.subarray(lastStart, lastEnd) },
  };
}
