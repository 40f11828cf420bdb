const BACKSLASH = 0x5c;
/** What the byte behind a backslash stands for; 0 where it stands for itself. */
const SIMPLE = new Uint8Array(256);
for (const [letter, meaning] of ['""', "\\\\", "b\b", "f\f", "n\n", "r\r", "t\t", "v\v"]) {
  SIMPLE[letter.charCodeAt(0)] = meaning.charCodeAt(0);
}
/** What each byte is as a hex digit; more than any where it is none. */
const HEX_VALUE = Uint16Array.from({ length: 256 }, (_, byte) => {
  const value = parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? 0x100 : value;
});

/**
 * Undoes the escapes nginx and Apache write in quoted fields (`\"`, `\\`, `\n`, `\xHH`, …); what is
 * none of them stays as it is. Reads `bytes` from `from` to `to`, writes to `out` from its beginning
 * (it never grows), gives the length.
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

/** The byte that two hex digits stand for; -1 when they are none. */
function hexByte(high: number, low: number): number {
  const byte = HEX_VALUE[high] << 4 | HEX_VALUE[low];
  return byte <= 0xff ? byte : -1;
}
