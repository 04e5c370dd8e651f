/** Each part grows when it is full, so that the whole set never takes the memory of its old and its new size at once. */
const PARTS = 16;
/** Of one part. */
const FEWEST_SLOTS = 64;
/** Slots in use, beyond which a look-up would take too many steps. */
const FULLEST = 0.8;
const GROWTH = 1.25;
/** How many values 32 bits have. */
const LOW_HASHES = 0x1_0000_0000;

/**
 * Texts that were added, by a hash of 44 bits each: 6 to 8 bytes, where a set of texts takes a hundred and keeps the garbage collector
 * busy. It never forgets a text. Once in some 10^13 pairs it takes one text for another, so that its answer is to be proved.
 */
export class MaybeSet {
  readonly #parts = Array.from({ length: PARTS }, () => new Part());

  /** How many texts were added, each once. */
  get size(): number {
    return this.#parts.reduce((sum, { size }) => sum + size, 0);
  }

  /** False when the text was not there before; true when it probably was. */
  add(text: string): boolean {
    const [low, high] = hashOf(text);
    // The part is four of the bits: its slots need not have them.
    const part = this.#parts[(high >>> 8) % PARTS];
    // A slot of zeros is free.
    return part?.add(low === 0 ? 1 : low, high & 0xff) !== true;
  }
}

/** A sixteenth of the hashes, 40 bits of each. */
class Part {
  /** How many hashes it has. */
  size = 0;
  /** 32 bits of each hash, not zero; zero in a free slot. */
  #low = new Uint32Array(FEWEST_SLOTS);
  /** Eight further bits. */
  #high = new Uint8Array(FEWEST_SLOTS);

  /** True when the hash was not there before. */
  add(low: number, high: number): boolean {
    const at = this.#slotOf(low, high);
    if (this.#low[at] === low) return false;
    this.#low[at] = low;
    this.#high[at] = high;
    this.size += 1;
    if (this.size >= this.#low.length * FULLEST) this.#grow();
    return true;
  }

  /** The place of the hash, or the free one where it belongs. */
  #slotOf(low: number, high: number): number {
    const slots = this.#low.length;
    let at = Math.floor((low / LOW_HASHES) * slots);
    for (;;) {
      const found = this.#low[at];
      if (found === 0 || (found === low && this.#high[at] === high)) return at;
      at = at + 1 < slots ? at + 1 : 0;
    }
  }

  #grow(): void {
    const [lows, highs] = [this.#low, this.#high];
    const slots = Math.ceil(lows.length * GROWTH);
    this.#low = new Uint32Array(slots);
    this.#high = new Uint8Array(slots);
    for (const [slot, low] of lows.entries()) {
      if (low === 0) continue;
      const high = highs[slot] ?? 0;
      const at = this.#slotOf(low, high);
      this.#low[at] = low;
      this.#high[at] = high;
    }
    // Frees the memory at once, where the garbage collector would do so later.
    for (const before of [lows, highs]) before.buffer.transfer(0);
  }
}

/** Two hashes of the text, of 32 bits each: FNV-1a, and another with the multiplier of MurmurHash3. */
function hashOf(text: string): readonly [low: number, high: number] {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0xcc9e2d51);
    high ^= high >>> 15;
  }
  // The last characters of numbers would be in few bits only.
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b);
  low ^= low >>> 13;
  return [low >>> 0, high >>> 0];
}
