const BITS = 1 << 20;

/**
 * Prefilter for lookups of strings: a bitmap indexed by the length and five characters of a string.
 * It rejects most strings that were not added, several times faster than a hash of the whole
 * string.
 */
export class TextFilter {
  readonly #seen = new Uint32Array(BITS / 32);

  add(text: string): void {
    const mark = hashMark(text);
    this.#seen[mark >>> 5] |= 1 << (mark & 31);
  }

  /** May return false positives, never false negatives. */
  mayHold(text: string): boolean {
    const mark = hashMark(text);
    return (this.#seen[mark >>> 5] & (1 << (mark & 31))) !== 0;
  }
}

/** A set of strings, optimized for lookups of strings that it does not contain. */
export class PrefilteredSet {
  readonly #texts = new Set<string>();
  readonly #filter = new TextFilter();

  add(text: string): void {
    this.#texts.add(text);
    this.#filter.add(text);
  }

  has(text: string): boolean {
    return this.#filter.mayHold(text) && this.#texts.has(text);
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
