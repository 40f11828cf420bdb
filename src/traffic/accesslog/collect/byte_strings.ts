import type { ByteIndex } from "../../../base/byte_index.ts";

/** A list of byte strings, as data that can be sent to another thread. */
export interface ByteStrings {
  /** The concatenated strings. */
  readonly bytes: Uint8Array;
  /** End offset of each string. A string starts where the preceding one ends. */
  readonly ends: Uint32Array;
}

/** Packs the strings of `index` into one list, starting with string number `from`. */
export function packStrings(index: ByteIndex, from = 0): ByteStrings {
  const ends = new Uint32Array(index.size - from);
  let length = 0;
  for (let i = from; i < index.size; i++) ends[i - from] = length += index.at(i).length;
  const bytes = new Uint8Array(length);
  for (let i = from; i < index.size; i++) {
    bytes.set(index.at(i), i === from ? 0 : ends[i - from - 1]);
  }
  return { bytes, ends };
}

/** Packs byte strings into one list. */
export function packBytes(parts: readonly Uint8Array[]): ByteStrings {
  let length = 0;
  const ends = Uint32Array.from(parts, (part) => length += part.length);
  const bytes = new Uint8Array(length);
  for (const [i, part] of parts.entries()) bytes.set(part, ends[i] - part.length);
  return { bytes, ends };
}

/** Encodes strings as UTF-8 and packs them into one list. */
export function packTexts(texts: readonly string[]): ByteStrings {
  const encoder = new TextEncoder();
  return packBytes(texts.map((text) => encoder.encode(text)));
}

/** Returns a view of the string at index `number` in a list. */
export function stringAt({ bytes, ends }: ByteStrings, number: number): Uint8Array {
  return bytes.subarray(number === 0 ? 0 : ends[number - 1], ends[number]);
}
