/** Each part grows when it is full, so that the whole set never takes the memory of its old and its new size at once. */
const PARTS = 16;
/** Of one part. A power of two, as all sizes that grow from it. */
const FEWEST_SLOTS = 64;
/** Slots in use, beyond which a look-up would take too many steps. */
const FULLEST = 0.7;

/**
 * Texts that were added, by a hash of 52 bits each: 12 to 24 bytes, where a set of texts takes a hundred and keeps the garbage collector
 * busy. It never forgets a text. Once in some 10^15 pairs it takes one text for another, so that its answer is to be proved.
 */
export class MaybeSet {
  readonly #parts = Array.from({ length: PARTS }, () => new Part());

  /** How many texts were added, each once. */
  get size(): number {
    return this.#parts.reduce((sum, { size }) => sum + size, 0);
  }

  /** False when the text was not there before; true when it probably was. */
  add(text: string): boolean {
    const hash = hashOf(text);
    // By other bits than those that name the slot.
    return this.#parts[Math.floor(hash / HIGH) % PARTS]?.add(hash) !== true;
  }
}

/** A sixteenth of the hashes. */
class Part {
  /** How many hashes it has. */
  size = 0;
  /** The hashes, from 1; zero in a free slot. */
  #slots = new Float64Array(FEWEST_SLOTS);

  /** True when the hash was not there before. */
  add(hash: number): boolean {
    const at = this.#slotOf(hash);
    if (this.#slots[at] === hash) return false;
    this.#slots[at] = hash;
    this.size += 1;
    if (this.size >= this.#slots.length * FULLEST) this.#grow();
    return true;
  }

  /** The place of the hash, or the free one where it belongs. */
  #slotOf(hash: number): number {
    const mask = this.#slots.length - 1;
    // The low half of the hash: it has the bits of 32.
    let at = hash & mask;
    for (;;) {
      const found = this.#slots[at];
      if (found === 0 || found === hash) return at;
      at = (at + 1) & mask;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    for (const hash of before) if (hash !== 0) this.#slots[this.#slotOf(hash)] = hash;
    // Frees the memory at once, where the garbage collector would do so later.
    before.buffer.transfer(0);
  }
}

/** The first number above 32 bits. */
const HIGH = 0x1_0000_0000;
/** 20 bits of the second hash, so that both are one exact number. */
const HIGH_MASK = 0xfffff;

/** Two hashes of the text in one number, from 1: FNV-1a, and another with the multiplier of MurmurHash3. */
function hashOf(text: string): number {
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
  return (high & HIGH_MASK) * HIGH + (low >>> 0) + 1;
}
