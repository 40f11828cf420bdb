const BACKSLASH = 0x5c;
const SIMPLE = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
].map(([letter, meaning]) => [letter.charCodeAt(0), meaning.charCodeAt(0)]));

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
    const simple = SIMPLE.get(bytes[i + 1]);
    const hex = i + 3 < to && bytes[i + 1] === 0x78 ? hexByte(bytes[i + 2], bytes[i + 3]) : -1;
    if (simple !== undefined) out[length++] = simple;
    else if (hex >= 0) out[length++] = hex;
    else out[length++] = bytes[i];
    if (simple !== undefined) i += 1;
    else if (hex >= 0) i += 3;
  }
  return length;
}

function hexByte(high: number, low: number): number {
  const text = String.fromCharCode(high, low);
  return /^[0-9A-Fa-f]{2}$/.test(text) ? parseInt(text, 16) : -1;
}
