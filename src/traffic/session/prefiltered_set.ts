const BITS = 1 << 20;

/**
 * A set of strings, optimized for lookups of strings that it does not contain. A bitmap indexed by
 * the length and five characters of a string rejects most of these lookups, several times faster
 * than a hash of the whole string.
 */
export class PrefilteredSet {
  readonly #texts = new Set<string>();
  readonly #seen = new Uint32Array(BITS / 32);

  add(text: string): void {
    this.#texts.add(text);
    const mark = hashMark(text);
    this.#seen[mark >>> 5] |= 1 << (mark & 31);
  }

  values(): Iterable<string> {
    return this.#texts;
  }

  has(text: string): boolean {
    const mark = hashMark(text);
    return (this.#seen[mark >>> 5] & (1 << (mark & 31))) !== 0 && this.#texts.has(text);
  }
}

/** Hashes the length and five characters of a string to a number below `BITS`. */
function hashMark(text: string): number {
  const { length } = text;
  let mark = length;
  for (let i = 1; i <= 5; i++) {
    mark = Math.imul(mark, 0x01000193) ^ text.charCodeAt(((length - 1) * i / 5) | 0);
  }
  return (mark ^ (mark >>> 20)) & (BITS - 1);
}
