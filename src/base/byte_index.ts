const NONE = -1;

/**
 * Assigns numbers to distinct byte strings, from 0, in order of first occurrence. All strings share
 * one buffer and are found by hash, so a million strings take little more memory than their bytes.
 *
 * ```text
 * slots   | 0 | 2 | 0 | 0 | 1 | …    number + 1 and bits of the hash, in its slot; 0 is free
 * hashes  | h0 | h1 | …              by number
 * ends    | 5  | 9  | …              by number: end offset in `bytes`
 * bytes   | /cart/faq …              number 0 is "/cart", number 1 is "/faq"
 * ```
 */
export class ByteIndex {
  #bytes = new Uint8Array(1 << 12);
  /** A string starts where the preceding one ends. */
  #ends = new Uint32Array(1 << 8);
  #hashes = new Int32Array(1 << 8);
  #size = 0;
  /**
   * Hash table with open addressing, at most half full. A slot is 0 if it is free. Otherwise, its
   * lower bits are a number plus 1, and the others bits of the hash: a lookup rarely reads the
   * bytes of a different string. bench: scripts/bench/log_options.ts
   */
  #slots = new Int32Array(1 << 9);
  /** So that an attacker cannot prepare strings with colliding hashes. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 0;

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#startOf(this.#size);
  }

  find(bytes: Uint8Array, from = 0, to: number = bytes.length): number {
    return this.#numberIn(this.#slotOf(bytes, from, to, this.#hashOf(bytes, from, to)));
  }

  /** Adds the string if it is not in the index. */
  number(bytes: Uint8Array, from = 0, to: number = bytes.length): number {
    const hash = this.#hashOf(bytes, from, to);
    const slot = this.#slotOf(bytes, from, to, hash);
    const found = this.#numberIn(slot);
    if (found !== NONE) return found;
    const start = this.bytes;
    const number = this.#size++;
    this.#reserve(start + to - from);
    this.#bytes.set(bytes.subarray(from, to), start);
    this.#ends[number] = start + to - from;
    this.#hashes[number] = hash;
    if (this.#size * 2 > this.#slots.length) this.#rehash();
    else this.#slots[slot] = this.#entry(number);
    return number;
  }

  /** Valid until the next call to `number`. */
  at(number: number): Uint8Array {
    return this.#bytes.subarray(this.#startOf(number), this.#ends[number]);
  }

  /** Copies the strings, and the offsets at which they end. */
  data(): { readonly bytes: Uint8Array; readonly ends: Uint32Array } {
    return { bytes: this.#bytes.slice(0, this.bytes), ends: this.#ends.slice(0, this.#size) };
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1];
  }

  #hashOf(bytes: Uint8Array, from: number, to: number): number {
    let hash = this.#seed ^ (to - from);
    let i = from;
    // Four bytes at a time, because each multiplication waits for the preceding one.
    // bench: scripts/bench/log_options.ts
    for (; i + 4 <= to; i += 4) {
      const word = bytes[i] | bytes[i + 1] << 8 | bytes[i + 2] << 16 | bytes[i + 3] << 24;
      hash = Math.imul(hash ^ word, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    for (; i < to; i++) {
      hash = Math.imul(hash ^ bytes[i], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  #slotOf(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let entry; (entry = slots[slot]) !== 0; slot = (slot + 1) & mask) {
      if (((entry ^ hash) & ~mask) !== 0) continue;
      if (this.#equals((entry & mask) - 1, bytes, from, to)) break;
    }
    return slot;
  }

  #numberIn(slot: number): number {
    return (this.#slots[slot] & (this.#slots.length - 1)) - 1;
  }

  #entry(number: number): number {
    return (this.#hashes[number] & ~(this.#slots.length - 1)) | (number + 1);
  }

  #equals(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#startOf(number);
    if (this.#ends[number] - start !== to - from) return false;
    for (let i = from; i < to; i++) if (this.#bytes[start + i - from] !== bytes[i]) return false;
    return true;
  }

  #reserve(bytes: number): void {
    if (bytes > this.#bytes.length) {
      this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(bytes * 2));
    }
    if (this.#size <= this.#ends.length) return;
    this.#ends = new Uint32Array(this.#ends.buffer.transfer(this.#size * 8));
    this.#hashes = new Int32Array(this.#hashes.buffer.transfer(this.#size * 8));
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let slot = this.#hashes[number] & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = this.#entry(number);
    }
  }
}
