/** Moves the contents of a smaller array to one of 1.25 × `count` elements, and detaches it. */
export function growArray<T extends Int32Array | Uint32Array | Uint16Array | Float64Array>(
  array: T,
  count: number,
): T {
  if (count <= array.length) return array;
  const buffer = (array.buffer as ArrayBuffer).transfer(
    Math.ceil(count * 1.25) * array.BYTES_PER_ELEMENT,
  );
  return new (array.constructor as new (buffer: ArrayBuffer) => T)(buffer);
}

// Level sampling bounds memory regardless of the order of the log: each item has a level, which is
// a function of the item, and each level has fewer items. A full collector keeps those from a level
// on, so that parts of a log merge to exactly the state of the whole. See docs/decisions/0016.

/** Levels 0 to 15. */
export const LEVELS = 16;

/** `hash` must be well mixed. A level has half (`bits` = 1) or a quarter of the one before. */
export function sampleLevel(hash: number, bits: 1 | 2): number {
  return Math.min(LEVELS - 1, Math.clz32(hash) >> (bits - 1));
}

/** So that each bit of the input affects all bits of the result. */
export function mixBits(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** The same in every process, unlike hashes of tables. `hash` is that of preceding bytes. */
export function stableHash(hash: number, bytes: Uint8Array, from: number, to: number): number {
  let mixed = hash ^ (to - from);
  let i = from;
  // Four bytes at a time, because each multiplication waits for the preceding one.
  for (; i + 4 <= to; i += 4) {
    const word = bytes[i] | bytes[i + 1] << 8 | bytes[i + 2] << 16 | bytes[i + 3] << 24;
    mixed = Math.imul(mixed ^ word, 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  for (; i < to; i++) {
    mixed = Math.imul(mixed ^ bytes[i], 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  return mixed;
}
