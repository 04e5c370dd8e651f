import { open } from 'node:fs/promises';
import { ExportedProduct } from './exported-product.js';
import { idToken, parentToken, placeOf, strayChild, type RawLine } from './jsonl.js';
import type { MappingScope } from './mapper.js';

const READ_BYTES = 1024 * 1024;
/** The first read is by so much smaller, the next ones twice the one before: whoever plans the products has some to begin with. */
const FIRST_SHARE = 1 / 8;

/**
 * Products of an export in which each product's children follow it, some at a time, in file order. Three buffers take turns, so that
 * reading leaves nothing behind for the garbage collector: a product can be asked until the third batch after it is asked for.
 * `transient` when the export proves not to be grouped.
 */
export async function* groupedProducts(
  path: string,
  scope: MappingScope,
  readBytes = READ_BYTES,
): AsyncGenerator<readonly ExportedProduct[]> {
  const file = await open(path);
  try {
    let [buffer, next, last] = [newBuffer(readBytes), newBuffer(readBytes), newBuffer(readBytes)];
    let filled = 0;
    let line = 1;
    let atOnce = Math.ceil(readBytes * FIRST_SHARE);
    for (;;) {
      // One product fills the buffer: it is given more room.
      if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
      const { bytesRead } = await file.read(buffer, filled, Math.min(buffer.length - filled, atOnce), null);
      atOnce *= 2;
      filled += bytesRead;
      const ended = bytesRead === 0;
      const found = groupsOf(buffer.subarray(0, filled), line, ended, scope);
      if (found.products.length > 0) yield found.products;
      if (ended) return;
      if (found.rest === 0) continue;
      // What is not a whole product yet goes to the next buffer, where its end will follow.
      if (next.length < buffer.length) next = newBuffer(buffer.length);
      buffer.copy(next, 0, found.rest, filled);
      [buffer, next, last] = [next, last, buffer];
      filled -= found.rest;
      line = found.line;
    }
  } finally {
    await file.close();
  }
}

/** Of its own: a pool's memory would be kept by what is small and lives long. */
function newBuffer(bytes: number): Buffer {
  return Buffer.allocUnsafeSlow(bytes);
}

interface Groups {
  readonly products: readonly ExportedProduct[];
  /** Where the first product begins that may not be whole, and the number of its line. */
  readonly rest: number;
  readonly line: number;
}

/** The whole products at the start of `chunk`, whose first line has the number `line`; at the file's end all are whole. */
function groupsOf(chunk: Buffer, line: number, ended: boolean, scope: MappingScope): Groups {
  const products: ExportedProduct[] = [];
  let open: { readonly at: number; readonly line: RawLine; readonly token: Buffer | null } | null = null;
  const close = (end: number): void => {
    if (open === null) return;
    const { id } = placeOf(open.line);
    products.push(new ExportedProduct(id, chunk.subarray(open.at, end), [open.line.number], scope));
  };
  let number = line;
  for (let start = 0; start < chunk.length;) {
    const found = chunk.indexOf(0x0a, start);
    if (found === -1 && !ended) break;
    const end = found === -1 ? chunk.length : found;
    if (end > start) {
      const bytes = chunk.subarray(start, end);
      const parent = parentToken(bytes);
      if (parent === undefined) {
        close(start - 1);
        open = { at: start, line: { number, bytes }, token: idToken(bytes) };
      } else if (parent === null || open?.token?.equals(parent) !== true) {
        throw strayChild({ number, bytes });
      }
      number++;
    }
    start = end + 1;
  }
  if (ended) close(chunk.at(-1) === 0x0a ? chunk.length - 1 : chunk.length);
  return { products, rest: open?.at ?? 0, line: open?.line.number ?? line };
}
