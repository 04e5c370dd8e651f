import { createReadStream } from 'node:fs';
import { open, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { ReadScope, SourceProduct } from '../../domain/store-port.js';
import { ExportedProduct } from './exported-product.js';
import {
  type ExportCensus,
  groupAll,
  isVariant,
  LineSplitter,
  parseLine,
  placeOf,
  type ProductLines,
  type RawLine,
  strayChild,
} from './jsonl.js';
import { numericId } from './mapper.js';

export interface PartitionSettings {
  readonly scope: ReadScope;
  /** Bytes of one part in memory. */
  readonly partitionBytes: number;
}

const READ_BYTES = 256 * 1024;
const MOST_PARTITIONS = 512;
const FLUSH_BYTES = 64 * 1024;
const LINE_END = Buffer.from('\n');

/** The census of an export, and whether the children of each product follow it, before the next product. */
export interface PartitionCensus extends ExportCensus {
  readonly grouped: boolean;
}

/**
 * The products of an export in which children are anywhere. The file at `path` is split by product into parts that fit into memory.
 * `prove` gets the census of the file before the first product. Throws `transient` when the last line is truncated.
 */
export async function* partitioned(
  path: string,
  folder: string,
  settings: PartitionSettings,
  prove: (census: PartitionCensus) => void,
): AsyncGenerator<readonly SourceProduct[]> {
  const { size } = await stat(path);
  const wanted = Math.ceil(size / settings.partitionBytes);
  const count = Math.min(MOST_PARTITIONS, Math.max(1, wanted));
  const paths = Array.from({ length: count }, (_, index) => join(folder, `part-${String(index)}.jsonl`));
  await partition(path, paths, prove);
  for (const part of paths) {
    const lines: RawLine[] = [];
    for await (const some of rawLines(part)) for (const line of some) lines.push(withoutNumber(line));
    yield [...groupAll(lines)].map((product) => gathered(product, settings.scope));
    await rm(part);
  }
}

function gathered({ id, lines }: ProductLines, scope: ReadScope): SourceProduct {
  const bytes = lines.flatMap((line, index) => (index === 0 ? [line.bytes] : [LINE_END, line.bytes]));
  const [first, ...others] = lines;
  const numbers = [first.number, ...others.map((line) => line.number)] as const;
  return new ExportedProduct(id, Buffer.concat(bytes), [...numbers], scope);
}

async function partition(
  path: string,
  paths: readonly string[],
  prove: (census: PartitionCensus) => void,
): Promise<void> {
  const parts: PartWriter[] = [];
  try {
    for (const part of paths) parts.push(new PartWriter(await open(part, 'w')));
    const places = new Places(parts.length);
    const early: RawLine[] = [];
    let last: RawLine | null = null;
    for await (const lines of numberedLines(path)) {
      for (const line of lines) {
        const place = places.of(line);
        // Copied, because the line's memory belongs to the chunk.
        if (place === null) early.push({ ...line, bytes: Buffer.from(line.bytes) });
        else if (parts[place]?.add(line) === true) await parts[place].flush();
        last = line;
      }
    }
    if (last !== null) parseLine(last);
    prove({ lines: last?.number ?? 0, roots: places.roots, grouped: places.grouped });
    for (const line of early) {
      const place = places.of(line);
      if (place === null) throw strayChild(line);
      parts[place]?.add(line);
    }
    for (const part of parts) await part.flush();
  } finally {
    for (const part of parts) await part.close();
  }
}

/** The partition of each line, so that all lines of a product are in one. */
class Places {
  /** Lines without a parent so far. */
  roots = 0;
  /** True while each child followed its product, before the next one. */
  grouped = true;
  /** By the variant's number, some 60 bytes for each: a child of a variant does not name the product. */
  private readonly ofVariants = new Map<number, number>();
  /** The ids of the last product and of its children. */
  private family = new Set<string>();

  constructor(private readonly partitions: number) {}

  /** Null for a child of a variant that has not been seen yet. */
  of(line: RawLine): number | null {
    const { id, parent } = placeOf(line);
    this.note(id, parent);
    if (parent !== null && isVariant(parent)) return this.ofVariants.get(Number(numericId(parent))) ?? null;
    const place = crc32(parent ?? id) % this.partitions;
    if (isVariant(id)) this.ofVariants.set(Number(numericId(id)), place);
    return place;
  }

  private note(id: string, parent: string | null): void {
    if (parent === null) {
      this.roots++;
      this.family = new Set([id]);
    } else if (this.family.has(parent)) {
      this.family.add(id);
    } else {
      this.grouped = false;
    }
  }
}

/** The lines of one partition, each after its number in the export. */
class PartWriter {
  private pending: Buffer[] = [];
  private bytes = 0;

  constructor(private readonly file: FileHandle) {}

  /** True when it is time to flush. Waiting for each line would cost more than writing it. */
  add({ number, bytes }: RawLine): boolean {
    // Copied, because the line's memory belongs to the chunk.
    const entry = Buffer.concat([Buffer.from(`${String(number)}\t`), bytes, Buffer.from('\n')]);
    this.pending.push(entry);
    this.bytes += entry.length;
    return this.bytes >= FLUSH_BYTES;
  }

  async flush(): Promise<void> {
    const data = Buffer.concat(this.pending);
    this.pending = [];
    this.bytes = 0;
    if (data.length > 0) await this.file.appendFile(data);
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

/** All lines of each chunk together, so that there is one wait per chunk and not per line. */
async function* rawLines(path: string): AsyncGenerator<Iterable<Buffer>> {
  const splitter = new LineSplitter();
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: READ_BYTES });
  for await (const chunk of chunks) yield splitter.push(chunk);
  const rest = splitter.rest();
  if (rest.length > 0) yield [rest];
}

/** Use each iterable once, before requesting the next. */
async function* numberedLines(path: string): AsyncGenerator<Iterable<RawLine>> {
  let number = 0;
  const numbered = function* (lines: Iterable<Buffer>): Generator<RawLine> {
    for (const bytes of lines) yield { number: ++number, bytes };
  };
  for await (const lines of rawLines(path)) yield numbered(lines);
}

/** A line of a partition. */
function withoutNumber(line: Buffer): RawLine {
  const tab = line.indexOf(0x09);
  return { number: Number(line.toString('latin1', 0, tab)), bytes: line.subarray(tab + 1) };
}
