import { storableJson } from '../../domain/text.js';
import { CodedError } from '../../domain/errors.js';
import { parseNode, type RawNode } from './mapper.js';
import { exportLineSchema } from './schemas.js';
import { usualPlace } from './usual-nodes.js';

export const LINE_END = 0x0a;
/** No product is that long, and a file without line ends must not fill the memory. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

/** Throws `transient` when a line has so many bytes that it is none. */
export function refuseLongLine(bytes: number): void {
  if (bytes < LONGEST_LINE_BYTES) return;
  const megabytes = String(LONGEST_LINE_BYTES / 2 ** 20);
  throw new CodedError('transient', `a line of the export has ${megabytes} MB or more`);
}

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
    refuseLongLine(this.held);
    // The memory of the chunk belongs to its reader, who may reuse it.
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

/** The numbers of a file, to compare with those that the store reports. */
export interface ExportCensus {
  readonly lines: number;
  /** Lines without `__parentId`. */
  readonly roots: number;
}

/**
 * The lines of one product of a grouped export: its children, and the children of its variants. They follow each other in `bytes`. In JSON
 * text a quote is always escaped, so the bytes `"__parentId":` are always a key. A line whose parent is unclear belongs to no product: that
 * is slower, but always correct.
 */
export class ProductGroup {
  /** The ids of the children, with quotes, up to `indexed`. Few products have a line that needs them. */
  private ids: Set<string> | null = null;

  /** `root`: the bytes of the product's id, with quotes; null when they are unclear. `indexed`: the end of the product's own line. */
  constructor(
    private readonly bytes: Buffer,
    private readonly root: Buffer | null,
    private indexed: number,
  ) {}

  /** True for a line of the product whose parent is its last member, as the store writes it. */
  hasUsual(start: number, end: number): boolean {
    const { bytes, root } = this;
    if (root === null || bytes[end - 1] !== OBJECT_END) return false;
    const value = end - 1 - root.length;
    const key = value - USUAL_PARENT.length;
    return key > start && isAt(bytes, value, root) && isAt(bytes, key, USUAL_PARENT);
  }

  /** True for a line from `start` with this parent, unless it belongs to another product. All lines before it belong to this one. */
  has(start: number, parent: Buffer): boolean {
    if (this.root === null) return false;
    return parent.equals(this.root) || this.hasChild(start, parent);
  }

  /** Only children of the product itself have children of their own. */
  private hasChild(before: number, id: Buffer): boolean {
    this.ids ??= new Set();
    while (this.indexed < before) {
      const next = this.bytes.indexOf(LINE_END, this.indexed);
      const line = this.bytes.subarray(this.indexed, next);
      this.indexed = next + 1;
      const parent = parentToken(line);
      const token = this.root !== null && parent?.equals(this.root) === true ? idToken(line) : null;
      if (token !== null) this.ids.add(token.toString('latin1'));
    }
    return this.ids.has(id.toString('latin1'));
  }
}

const PARENT_KEY = Buffer.from('"__parentId"');
/** The start of the key without its quote, which would be found everywhere. */
const PARENT_NAME = Buffer.from('__parentId');
const ID_KEY = Buffer.from('"id"');
const USUAL_PARENT = Buffer.from(',"__parentId":');
const OBJECT_END = 0x7d;

/** For a few bytes, a loop takes a fraction of the time of a call of `Buffer`. Ids differ at their ends. */
function isAt(bytes: Buffer, at: number, part: Buffer): boolean {
  for (let index = part.length - 1; index >= 0; index--) if (bytes[at + index] !== part[index]) return false;
  return true;
}

/** The bytes of the value of `__parentId`, with quotes; undefined: no such key; null: unclear. */
export function parentToken(line: Buffer): Buffer | null | undefined {
  if (line.indexOf(PARENT_NAME) === -1) return undefined;
  let at = line.lastIndexOf(PARENT_KEY);
  while (at !== -1) {
    const next = skipSpace(line, at + PARENT_KEY.length);
    if (line[next] === 0x3a) return tokenAfter(line, at + PARENT_KEY.length);
    at = at === 0 ? -1 : line.lastIndexOf(PARENT_KEY, at - 1);
  }
  return undefined;
}

/** The bytes of a line's own id, which the documents request first. Null: unclear. */
export function idToken(line: Buffer): Buffer | null {
  const at = line.indexOf(ID_KEY);
  return at === -1 ? null : tokenAfter(line, at + ID_KEY.length);
}

/** The text token after a colon, with its quotes; null when there is none, or one with an escaped quote. */
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

/** An unparsed line. */
export interface RawLine {
  /** The number in the export, starting at 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

/** The line of a product and the lines of its children, in the order of the export, with the product's id. */
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

/** Parses one line of the export. Throws `transient` with the line number when it breaks the interface. */
export function parseLine({ bytes, number }: RawLine): ExportLine {
  return parseText(bytes.toString('utf8'), number);
}

/** The same from the text of a line. */
export function parseText(text: string, number: number): ExportLine {
  let node: unknown;
  try {
    node = JSON.parse(text);
    // Only an escape brings what no database holds: NUL, or half of a pair.
    if (text.includes('\\u') && UNSTORABLE_ESCAPE.test(text)) node = storableJson(node);
  } catch (cause) {
    throw new CodedError('transient', `line ${String(number)} of the export is not JSON`, { cause });
  }
  const { kind, id, parent } = parseNode(exportLineSchema, { node, line: number }, usualPlace);
  return { node, line: number, kind, id, parent };
}

/** The product of a line, from its bytes if they are clear, otherwise by parsing. Throws like `parseLine`. */
export function placeOf(line: RawLine): { readonly id: string; readonly parent: string | null } {
  const parent = parentToken(line.bytes);
  const own = parent === null ? null : idToken(line.bytes);
  if (parent === null || own === null) return parseLine(line);
  return { id: textOf(own), parent: parent === undefined ? null : textOf(parent) };
}

/** The text of a token with its quotes. */
export function textOf(token: Buffer): string {
  const text = token.toString('latin1', 1, token.length - 1);
  return text.includes('\\') ? String(JSON.parse(token.toString('utf8'))) : text;
}

/**
 * The products of lines in any order, all in memory. Throws `transient` for a child without a product, and for a
 * repeated product.
 */
export function groupAll(lines: Iterable<RawLine>): Iterable<ProductLines> {
  const products = new Map<string, OpenProduct>();
  const ofVariants = new Map<string, OpenProduct>();
  const add = (line: RawLine): boolean => {
    const { id, parent } = placeOf(line);
    const product = parent === null ? undefined : (products.get(parent) ?? ofVariants.get(parent));
    if (product === undefined) return false;
    product.lines.push(line);
    if (isVariant(id)) ofVariants.set(id, product);
    return true;
  };
  let early: RawLine[] = [];
  for (const line of lines) {
    const { id, parent } = placeOf(line);
    if (parent !== null) {
      if (!add(line)) early.push(line);
    } else if (products.has(id)) {
      throw new CodedError('transient', `line ${String(line.number)} of the export repeats ${id}`);
    } else {
      products.set(id, { id, lines: [line] });
    }
  }
  // A variant that came before its product makes room for its own children in the next turn.
  while (early.length > 0) {
    const left = early.filter((line) => !add(line));
    const [stray] = left;
    if (stray !== undefined && left.length === early.length) throw strayChild(stray);
    early = left;
  }
  return products.values();
}

interface OpenProduct {
  readonly id: string;
  readonly lines: [RawLine, ...RawLine[]];
}

/** True for the id of a variant, which may have children of its own. */
export function isVariant(id: string): boolean {
  return id.includes('/ProductVariant/');
}

export function strayChild(line: RawLine): CodedError {
  const { id, parent } = placeOf(line);
  return new CodedError(
    'transient',
    `line ${String(line.number)} of the export, ${id}, belongs to ${String(parent)}, which is not there`,
  );
}
