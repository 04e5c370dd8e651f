import { CodedError } from '../../domain/errors.js';
import { numericId } from './mapper.js';

const FIRST_SLOTS = 1024;
/** Beyond this share of used slots, searches become long. */
const FULLEST = 0.7;

/**
 * The part of each variant. A child of a variant does not name its product, so it has to be found by the variant. A store of a million
 * products has some three million variants: they take 10 bytes a slot here, and about 60 in a `Map`. An open-addressing hash table.
 */
export class VariantParts {
  /** Variant numbers; 0 is a free slot. */
  #ids = new Float64Array(FIRST_SLOTS);
  #parts = new Uint16Array(FIRST_SLOTS);
  #size = 0;

  /** `variant`: a global id. Throws `transient` when it ends with no number. */
  set(variant: string, part: number): void {
    if (this.#size + 1 > this.#ids.length * FULLEST) this.#grow();
    const id = numberOf(variant);
    const slot = slotOf(this.#ids, id);
    if (this.#ids[slot] === 0) this.#size += 1;
    this.#ids[slot] = id;
    this.#parts[slot] = part;
  }

  /** Undefined for a variant that was not set. */
  get(variant: string): number | undefined {
    const slot = slotOf(this.#ids, numberOf(variant));
    return this.#ids[slot] === 0 ? undefined : this.#parts[slot];
  }

  #grow(): void {
    const [ids, parts] = [this.#ids, this.#parts];
    this.#ids = new Float64Array(ids.length * 2);
    this.#parts = new Uint16Array(ids.length * 2);
    for (const [index, id] of ids.entries()) {
      if (id === 0) continue;
      const slot = slotOf(this.#ids, id);
      this.#ids[slot] = id;
      this.#parts[slot] = parts[index] ?? 0;
    }
  }
}

function numberOf(variant: string): number {
  const id = Number(numericId(variant));
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new CodedError('transient', `the export has a variant without a number: ${variant}`);
}

/** The slot of this id, or the free slot where it belongs. */
function slotOf(ids: Float64Array, id: number): number {
  const last = ids.length - 1;
  let slot = (Math.imul(id % 2 ** 32, 0x9e3779b1) >>> 7) & last;
  while (ids[slot] !== 0 && ids[slot] !== id) slot = (slot + 1) & last;
  return slot;
}
