import * as ascii from "../../../../base/ascii.ts";

const { BACKSLASH } = ascii;
/** Meaning of the byte after a backslash; 0 if the pair is not an escape. */
const SIMPLE = new Uint8Array(256);
for (const [letter, meaning] of ['""', "\\\\", "b\b", "f\f", "n\n", "r\r", "t\t", "v\v"]) {
  SIMPLE[letter.charCodeAt(0)] = meaning.charCodeAt(0);
}
/** Value of each byte as a hex digit; 0x100 if it is not one. */
const HEX_VALUE = Uint16Array.from({ length: 256 }, (_, byte) => {
  const value = parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? 0x100 : value;
});

/**
 * Decodes the escapes that nginx and Apache write in quoted fields (`\"`, `\\`, `\n`, `\xHH`, …) and
 * copies other bytes unchanged. Reads `bytes[from, to)`, writes to the beginning of `out` and returns
 * the length, which never exceeds that of the input.
 */
export function unescapeField(
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
): number {
  let length = 0;
  for (let i = from; i < to; i++) {
    if (bytes[i] !== BACKSLASH || i + 1 === to) {
      out[length++] = bytes[i];
      continue;
    }
    const simple = SIMPLE[bytes[i + 1]];
    const hex = i + 3 < to && bytes[i + 1] === 0x78 ? hexByte(bytes[i + 2], bytes[i + 3]) : -1;
    if (simple !== 0) out[length++] = simple;
    else if (hex >= 0) out[length++] = hex;
    else out[length++] = bytes[i];
    if (simple !== 0) i += 1;
    else if (hex >= 0) i += 3;
  }
  return length;
}

/** Returns the byte encoded by two hex digits, or -1 if they are not hex digits. */
function hexByte(high: number, low: number): number {
  const byte = HEX_VALUE[high] << 4 | HEX_VALUE[low];
  return byte <= 0xff ? byte : -1;
}
