import { createReadStream } from 'node:fs';
import { CodedError } from '../../domain/errors.js';
import { storableParsed } from '../../domain/text.js';
import { parseNode } from './mapper.js';
import { exportLineSchema } from './schemas.js';

const LINE_END = 0x0a;
const READ_BYTES = 256 * 1024;
/** No product is that long, and a file without line ends must not fill the memory. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

/** Splits a stream of bytes into lines without their ends. Empty lines are skipped. */
export class LineSplitter {
  private parts: Buffer[] = [];
  private held = 0;

  *push(chunk: Buffer): Generator<Buffer> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, start)) {
      const line = this.join(chunk.subarray(start, end));
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start < chunk.length) this.hold(chunk.subarray(start));
  }

  /** The bytes after the last line end; empty when there are none. */
  rest(): Buffer {
    return this.join(Buffer.alloc(0));
  }

  private hold(part: Buffer): void {
    this.held += part.length;
    if (this.held >= LONGEST_LINE_BYTES) {
      const megabytes = String(LONGEST_LINE_BYTES / 2 ** 20);
      throw new CodedError('transient', `a line of the export has ${megabytes} MB or more`);
    }
    this.parts.push(part);
  }

  private join(last: Buffer): Buffer {
    if (this.parts.length === 0) return last;
    const line = Buffer.concat([...this.parts, last]);
    this.parts = [];
    this.held = 0;
    return line;
  }
}

/** The lines of a file, all lines of a chunk together, so that there is one wait for each chunk. Use each iterable once, in order. */
export async function* linesOf(path: string): AsyncGenerator<Iterable<Buffer>> {
  const splitter = new LineSplitter();
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: READ_BYTES });
  for await (const chunk of chunks) yield splitter.push(chunk);
  const rest = splitter.rest();
  if (rest.length > 0) yield [rest];
}

/** A line with its object, and the parts of it that determine its place. */
export interface ExportLine {
  readonly node: unknown;
  readonly kind: string;
  readonly id: string;
  /** Null for a product. */
  readonly parent: string | null;
}

/** Reads one line. `number`: its number in the export, if it is known. Throws `transient` for what is no line of an export. */
export function parseLine(bytes: Buffer, number?: number): ExportLine {
  const text = bytes.toString('utf8');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    const place = number === undefined ? 'a line' : `line ${String(number)}`;
    throw new CodedError('transient', `${place} of the export is not JSON`, { cause });
  }
  const node = storableParsed(text, parsed);
  return { node, ...parseNode(exportLineSchema, node) };
}

/** True for the id of a variant, which may have children of its own. */
export function isVariant(id: string): boolean {
  return id.includes('/ProductVariant/');
}

export function strayChild({ id, parent }: ExportLine): CodedError {
  const text = `a line of the export, ${id}, belongs to ${String(parent)}, which is not there`;
  return new CodedError('transient', text);
}
