const BITS = 1 << 20;

/**
 * A set of texts that is mostly asked for texts that it does not hold: those are told by their length
 * and a few of their characters, which is several times faster than to hash them.
 */
export class PrefilteredSet {
  readonly #texts = new Set<string>();
  readonly #seen = new Uint32Array(BITS / 32);

  add(text: string): void {
    this.#texts.add(text);
    const mark = hashMark(text);
    this.#seen[mark >>> 5] |= 1 << (mark & 31);
  }

  has(text: string): boolean {
    const mark = hashMark(text);
    return (this.#seen[mark >>> 5] & (1 << (mark & 31))) !== 0 && this.#texts.has(text);
  }
}

/** A number below `BITS` that equal texts have in common. */
function hashMark(text: string): number {
  const { length } = text;
  let mark = length;
  for (let i = 1; i <= 5; i++) {
    mark = Math.imul(mark, 0x01000193) ^ text.charCodeAt(((length - 1) * i / 5) | 0);
  }
  return (mark ^ (mark >>> 20)) & (BITS - 1);
}
