import { open } from 'node:fs/promises';
import { ExportedProduct } from './exported-product.js';
import { idToken, parentToken, placeOf, ProductGroup, strayChild, textOf } from './jsonl.js';
import type { MappingScope } from './mapper.js';

const READ_BYTES = 1024 * 1024;
/** The first read is this much smaller, and each next one is twice as large, so that planning can start early. */
const FIRST_SHARE = 1 / 8;

/**
 * The products of an export in which children follow their product, in batches and in file order. Three buffers are
 * reused in turn, so that reading creates no garbage. A product is valid until the third batch after its own is
 * requested. Throws `transient` when the export is not grouped.
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
      // One product fills the buffer, so the buffer grows.
      if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
      const { bytesRead } = await file.read(buffer, filled, Math.min(buffer.length - filled, atOnce), null);
      atOnce *= 2;
      filled += bytesRead;
      const ended = bytesRead === 0;
      const found = groupsOf(buffer.subarray(0, filled), line, ended, scope);
      if (found.products.length > 0) yield found.products;
      if (ended) return;
      if (found.rest === 0) continue;
      // An incomplete product moves to the next buffer, where its end will follow.
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

/** A buffer of its own: small, long-lived objects would keep a pool's memory. */
function newBuffer(bytes: number): Buffer {
  return Buffer.allocUnsafeSlow(bytes);
}

interface Groups {
  readonly products: readonly ExportedProduct[];
  /** Start of the first product that may be incomplete, and the number of its line. */
  readonly rest: number;
  readonly line: number;
}

/**
 * The complete products at the start of `chunk`, whose first line has the number `line`. At the end of the file, all
 * are complete.
 */
function groupsOf(chunk: Buffer, line: number, ended: boolean, scope: MappingScope): Groups {
  const products: ExportedProduct[] = [];
  let open: {
    readonly at: number;
    readonly id: string;
    readonly number: number;
    readonly group: ProductGroup;
  } | null = null;
  const close = (end: number): void => {
    if (open !== null) products.push(new ExportedProduct(open.id, chunk, [open.number], scope, open.at, end));
  };
  let number = line;
  for (let start = 0; start < chunk.length;) {
    const found = chunk.indexOf(0x0a, start);
    if (found === -1 && !ended) break;
    const end = found === -1 ? chunk.length : found;
    if (end > start) {
      const child = { bytes: chunk, start, end };
      if (open?.group.addUsual(child) !== true) {
        const bytes = chunk.subarray(start, end);
        const parent = parentToken(bytes);
        if (parent === undefined) {
          close(start - 1);
          const token = idToken(bytes);
          const id = token === null ? placeOf({ number, bytes }).id : textOf(token);
          open = { at: start, id, number, group: new ProductGroup(token) };
        } else if (parent === null || open?.group.add(child, parent) !== true) {
          throw strayChild({ number, bytes });
        }
      }
      number++;
    }
    start = end + 1;
  }
  if (ended) close(chunk.at(-1) === 0x0a ? chunk.length - 1 : chunk.length);
  return { products, rest: open?.at ?? 0, line: open?.number ?? line };
}
