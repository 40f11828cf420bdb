const PERCENT = 0x25;
const SEMICOLON = 0x3b;
const LOWER_CASE = 0x20;
const SESSION = new TextEncoder().encode(";jsessionid=");
/** What each byte is as a hex digit; more than any where it is none. */
const HEX_VALUE = Uint16Array.from({ length: 256 }, (_, byte) => {
  const value = parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? 0x100 : value;
});
/** 1 for each byte that a URL means by itself what it means percent-encoded (RFC 3986, 2.3). */
const UNRESERVED = Uint8Array.from(
  { length: 256 },
  (_, byte) => /[A-Za-z0-9._~-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** Returns the byte that the percent-encoding at `at` stands for; -1 if there is none before `to`. */
export function percentByte(bytes: Uint8Array, at: number, to: number): number {
  if (bytes[at] !== PERCENT || at + 2 >= to) return -1;
  const byte = HEX_VALUE[bytes[at + 1]] << 4 | HEX_VALUE[bytes[at + 2]];
  return byte <= 0xff ? byte : -1;
}

/** Reports whether a URL means this byte by itself what it means percent-encoded. */
export function isUnreserved(byte: number): boolean {
  return UNRESERVED[byte] === 1;
}

/** Reports whether `;jsessionid=`, in any case, is at `at`. */
export function isSessionParameter(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < SESSION.length; i++) {
    const byte = bytes[at + i];
    const isUpper = byte >= 0x41 && byte <= 0x5a;
    if ((isUpper ? byte | LOWER_CASE : byte) !== SESSION[i]) return false;
  }
  return true;
}

/**
 * Reports whether the ASCII path in `bytes[from, to)` is its own normal form: no percent-encoding in
 * lower case or of an unreserved character, and no `;jsessionid=`.
 */
export function isNormalPath(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    if (bytes[i] === SEMICOLON && isSessionParameter(bytes, i)) return false;
    const byte = percentByte(bytes, i, to);
    if (byte < 0) continue;
    const isLower = bytes[i + 1] >= 0x61 || bytes[i + 2] >= 0x61;
    if (isLower || isUnreserved(byte)) return false;
  }
  return true;
}
