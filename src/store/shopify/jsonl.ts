import { storableJson } from '../../domain/text.js';
import { CodedError } from '../../domain/errors.js';
import { parseNode, type RawNode } from './mapper.js';
import { exportLineSchema } from './schemas.js';

const NEWLINE = 0x0a;
/** No product comes near it; a file without line ends must not fill the memory. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

/** Cuts a stream of bytes into lines without their ends. Empty lines are passed over. */
export class LineSplitter {
  private parts: Buffer[] = [];
  private held = 0;

  *push(chunk: Buffer): Generator<Buffer> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.join(chunk.subarray(start, end));
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start < chunk.length) this.hold(chunk.subarray(start));
  }

  /** What follows the last line end; empty when the bytes ended with one. */
  rest(): Buffer {
    return this.join(Buffer.alloc(0));
  }

  private hold(part: Buffer): void {
    this.held += part.length;
    if (this.held > LONGEST_LINE_BYTES)
      throw new CodedError('transient', 'the export has a line that is too long to be one');
    // The chunk's memory is its reader's, who may use it again.
    this.parts.push(Buffer.from(part));
  }

  private join(last: Buffer): Buffer {
    if (this.parts.length === 0) return last;
    const line = Buffer.concat([...this.parts, last]);
    this.parts = [];
    this.held = 0;
    return line;
  }
}

export interface ExportCensus {
  readonly bytes: number;
  readonly lines: number;
  /** Lines without `__parentId`. */
  readonly roots: number;
  /** True when each child follows its own product before the next one begins. */
  readonly grouped: boolean;
}

/**
 * Counts an export while it is downloaded, without parsing it: reading parses each line once, later. Inside a JSON text a
 * quote is always escaped, so that `"__parentId":` in the bytes is a key and nothing else. Where it cannot tell whose child a
 * line is, the export counts as not grouped, which is slower and always right.
 */
export class ExportScan {
  private readonly splitter = new LineSplitter();
  private bytes = 0;
  private lines = 0;
  private roots = 0;
  private grouped = true;
  private root: Buffer | null = null;
  private last: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    for (const line of this.splitter.push(chunk)) this.count(line);
  }

  get received(): number {
    return this.bytes;
  }

  /** The census, once all has come. `transient` when the last line is cut off. */
  finish(): ExportCensus {
    const rest = this.splitter.rest();
    if (rest.length > 0) this.count(rest);
    if (this.lines > 0) parseLine({ bytes: this.last, number: this.lines });
    return { bytes: this.bytes, lines: this.lines, roots: this.roots, grouped: this.grouped };
  }

  private count(line: Buffer): void {
    this.lines++;
    this.last = line;
    const parent = parentToken(line);
    if (parent === undefined) {
      this.roots++;
      this.root = idToken(line);
    } else if (parent === null || this.root === null || !parent.equals(this.root)) {
      this.grouped = false;
    }
  }
}

const PARENT_KEY = Buffer.from('"__parentId"');
const ID_KEY = Buffer.from('"id"');

/** The bytes of `__parentId`'s value with its quotes; undefined: no such key; null: cannot tell. */
export function parentToken(line: Buffer): Buffer | null | undefined {
  let at = line.lastIndexOf(PARENT_KEY);
  while (at !== -1) {
    const next = skipSpace(line, at + PARENT_KEY.length);
    if (line[next] === 0x3a) return tokenAfter(line, at + PARENT_KEY.length);
    at = at === 0 ? -1 : line.lastIndexOf(PARENT_KEY, at - 1);
  }
  return undefined;
}

/** The bytes of a line's own id: the documents ask for it before any other. Null: cannot tell. */
export function idToken(line: Buffer): Buffer | null {
  const at = line.indexOf(ID_KEY);
  return at === -1 ? null : tokenAfter(line, at + ID_KEY.length);
}

/** The text token behind a colon, with its quotes; null when there is none, or one with an escaped quote in it. */
function tokenAfter(line: Buffer, at: number): Buffer | null {
  const colon = skipSpace(line, at);
  if (line[colon] !== 0x3a) return null;
  const start = skipSpace(line, colon + 1);
  if (line[start] !== 0x22) return null;
  const end = line.indexOf(0x22, start + 1);
  if (end === -1 || line[end - 1] === 0x5c) return null;
  return line.subarray(start, end + 1);
}

function skipSpace(line: Buffer, from: number): number {
  let at = from;
  while (line[at] === 0x20 || line[at] === 0x09) at++;
  return at;
}

/** A line as it was read: what it says is parsed by whoever needs it. */
export interface RawLine {
  /** Within the export, from 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

/** A product's own line and its children's, in the export's order, and its id. */
export interface ProductLines {
  readonly id: string;
  readonly lines: readonly [RawLine, ...RawLine[]];
}

export interface ExportLine extends RawNode {
  readonly kind: string;
  readonly id: string;
  /** Null for a product. */
  readonly parent: string | null;
}

const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/** One line of the export. `transient`, naming the line, when it is not what the interface promises. */
export function parseLine({ bytes, number }: RawLine): ExportLine {
  let node: unknown;
  try {
    const text = bytes.toString('utf8');
    node = JSON.parse(text);
    // Only an escape brings what no database holds: NUL, or half of a pair.
    if (UNSTORABLE_ESCAPE.test(text)) node = storableJson(node);
  } catch (cause) {
    throw new CodedError('transient', `line ${String(number)} of the export is not JSON`, { cause });
  }
  const place = parseNode(exportLineSchema, { node, line: number });
  return { node, line: number, ...place };
}

/** Whose line it is: told from the bytes where they tell, by parsing where they do not. `transient` as `parseLine`. */
export function placeOf(line: RawLine): { readonly id: string; readonly parent: string | null } {
  const parent = parentToken(line.bytes);
  const own = parent === null ? null : idToken(line.bytes);
  if (parent === null || own === null) return parseLine(line);
  return { id: textOf(own), parent: parent === undefined ? null : textOf(parent) };
}

function textOf(token: Buffer): string {
  const text = token.toString('latin1', 1, token.length - 1);
  return text.includes('\\') ? String(JSON.parse(token.toString('utf8'))) : text;
}

/** Products of lines in any order, all in memory. `transient` for a child of no product and for a product that comes twice. */
export function groupAll(lines: Iterable<RawLine>): Iterable<ProductLines> {
  const products = new Map<string, { id: string; lines: [RawLine, ...RawLine[]] }>();
  const early: RawLine[] = [];
  for (const line of lines) {
    const { id, parent } = placeOf(line);
    if (parent !== null) {
      const product = products.get(parent);
      if (product === undefined) early.push(line);
      else product.lines.push(line);
    } else if (products.has(id)) {
      throw new CodedError('transient', `line ${String(line.number)} of the export repeats ${id}`);
    } else {
      products.set(id, { id, lines: [line] });
    }
  }
  for (const child of early) {
    const product = products.get(placeOf(child).parent ?? '');
    if (product === undefined) throw strayChild(child);
    product.lines.push(child);
  }
  return products.values();
}

export function strayChild(line: RawLine): CodedError {
  const { id, parent } = placeOf(line);
  return new CodedError(
    'transient',
    `line ${String(line.number)} of the export, ${id}, belongs to ${String(parent)}, which is not there`,
  );
}
