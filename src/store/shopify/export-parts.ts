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
      else if (parts[place]?.add(bytes) === false) await parts[place].append(bytes);
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
      if (!part.add(bytes)) await part.append(bytes);
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

/**
 * A part file. It is opened for each write, so that an export needs few open files. Lines are copied to one place, because a slice of what
 * was read would keep all of it in memory.
 */
class Part {
  bytes = 0;
  readonly #pending = Buffer.allocUnsafeSlow(FLUSH_BYTES);
  #used = 0;

  constructor(readonly path: string) {}

  /** False when there is no room for the line: then it is to be appended. */
  add(line: Buffer): boolean {
    if (this.#used + line.length + LINE_END.length > FLUSH_BYTES) return false;
    this.#used += line.copy(this.#pending, this.#used);
    this.#used += LINE_END.copy(this.#pending, this.#used);
    return true;
  }

  /** Writes what is pending, and keeps the line for the next time or, where it is long, writes it too. */
  async append(line: Buffer): Promise<void> {
    await this.flush();
    if (!this.add(line)) await this.#write(Buffer.concat([line, LINE_END]));
  }

  async flush(): Promise<void> {
    if (this.#used === 0) return;
    await this.#write(this.#pending.subarray(0, this.#used));
    this.#used = 0;
  }

  async #write(data: Buffer): Promise<void> {
    this.bytes += data.length;
    if (this.bytes > MOST_PART_BYTES)
      throw new CodedError('invalid', 'one product of the export has too much data to be read');
    await appendFile(this.path, data);
  }
}
