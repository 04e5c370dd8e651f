import { appendFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CodedError } from '../../domain/errors.js';
import { type ExportLine, isVariant, linesOf, parseLine, strayChild } from './export-lines.js';
import { VariantParts } from './variant-parts.js';

const MOST_PARTS = 512;
const FLUSH_BYTES = 32 * 1024;
/** A product with its children has to fit into memory. The parts of the largest export have 16 MB. */
const MOST_PART_BYTES = 256 * 1024 * 1024;
const LINE_END = Buffer.from('\n');

/** The numbers of a file, to compare with those that the store reports. */
export interface ExportCensus {
  readonly lines: number;
  /** Lines without `__parentId`. */
  readonly roots: number;
}

/**
 * Splits an export into part files of some `partBytes` in `folder`, so that all lines of a product are in one part, in the order of the
 * export. The lines of the export may have any order. Every line is parsed, so a truncated one is found here. Throws `transient` for it,
 * and for a child without a parent.
 */
export async function splitExport(
  path: string,
  folder: string,
  partBytes: number,
): Promise<{ readonly census: ExportCensus; readonly parts: readonly string[] }> {
  const { size } = await stat(path);
  const count = Math.min(MOST_PARTS, Math.max(1, Math.ceil(size / partBytes)));
  const parts = Array.from({ length: count }, (_, index) => new Part(join(folder, `part-${String(index)}`)));
  const places = new Places(count);
  /** The numbers of the lines that came before the variant that they belong to. */
  const early: number[] = [];
  let lines = 0;
  let roots = 0;
  for await (const some of linesOf(path)) {
    for (const bytes of some) {
      lines += 1;
      const line = parseLine(bytes, lines);
      if (line.parent === null) roots += 1;
      const place = places.of(line);
      if (place === undefined) early.push(lines);
      else if (parts[place]?.add(bytes) === true) await parts[place].flush();
    }
  }
  if (early.length > 0) await addEarly(path, early, places, parts);
  for (const part of parts) await part.flush();
  const filled = parts.filter(({ bytes }) => bytes > 0);
  return { census: { lines, roots }, parts: filled.map(({ path: file }) => file) };
}

/** Adds the lines with these numbers from a second reading: there may be too many to keep. By now all variants are known. */
async function addEarly(
  path: string,
  early: readonly number[],
  places: Places,
  parts: readonly Part[],
): Promise<void> {
  let [number, next] = [0, 0];
  for await (const some of linesOf(path)) {
    for (const bytes of some) {
      number += 1;
      if (number !== early[next]) continue;
      next += 1;
      const line = parseLine(bytes, number);
      const part = parts[places.of(line) ?? parts.length];
      if (part === undefined) throw strayChild(line);
      if (part.add(bytes)) await part.flush();
    }
  }
}

/** Which part a line belongs to. */
class Places {
  readonly #variants = new VariantParts();

  constructor(private readonly parts: number) {}

  /** Undefined for a child of a variant that has not been seen yet. */
  of({ id, parent }: ExportLine): number | undefined {
    if (parent !== null && isVariant(parent)) return this.#variants.get(parent);
    const place = crc32(parent ?? id) % this.parts;
    if (isVariant(id)) this.#variants.set(id, place);
    return place;
  }
}

/** A part file. It is opened for each write, so that an export needs few open files. */
class Part {
  bytes = 0;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(readonly path: string) {}

  /** True when it is time to flush. */
  add(line: Buffer): boolean {
    this.#pending.push(line, LINE_END);
    this.#pendingBytes += line.length + LINE_END.length;
    return this.#pendingBytes >= FLUSH_BYTES;
  }

  async flush(): Promise<void> {
    if (this.#pendingBytes === 0) return;
    this.bytes += this.#pendingBytes;
    if (this.bytes > MOST_PART_BYTES)
      throw new CodedError('invalid', 'one product of the export has too much data to be read');
    const data = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    await appendFile(this.path, data);
  }
}
