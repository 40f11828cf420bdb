import * as ascii from "../../../../base/ascii.ts";

const { BACKSLASH, COLON, DOT, LF, QUESTION, QUOTE, SLASH, SPACE } = ascii;
const LETTER_C = 0x43;
const LETTER_P = 0x50;
/** The characters ` HTT` as a little-endian word. */
const SPACE_HTT = 0x54544820;
/** The characters `P/` as a little-endian word. */
const P_SLASH = 0x2f50;
const MAX_METHOD_BYTES = 32;
/**
 * Methods without an endpoint: CONNECT opens a proxy tunnel, and PRI starts the preface of an
 * HTTP/2 connection.
 */
const NO_ENDPOINT = ["CONNECT", "PRI"].map((method) => new TextEncoder().encode(method));
const METHOD_BYTE = bytesLike(/[A-Z0-9_-]/);
const SCHEME_BYTE = bytesLike(/[A-Za-z0-9+.-]/);
/** Lookup table by byte value: 1 for bytes that do not end a query. */
export const QUERY_BYTE: Uint8Array = bytesLike(/[^ \t"\\\n]/);

/**
 * Returns the offset of the quote that closes the field at `from`, or the offset of the next LF if
 * it comes first.
 */
export function findFieldEnd(bytes: Uint8Array, from: number): number {
  let i = from;
  for (; bytes[i] !== QUOTE && bytes[i] !== LF; i++) {
    if (bytes[i] === BACKSLASH && bytes[i + 1] !== LF) i++;
  }
  return i;
}

/**
 * Returns the offset of the space after the method (`[A-Z][A-Z0-9_-]{0,31}`) at `from`. Returns -1
 * if there is no method, or if it is CONNECT or PRI, which have no endpoint.
 */
export function findMethodEnd(bytes: Uint8Array, from: number): number {
  if (bytes[from] < 0x41 || bytes[from] > 0x5a) return -1;
  let i = from + 1;
  while (METHOD_BYTE[bytes[i]] === 1) i++;
  if (bytes[i] !== SPACE || i - from > MAX_METHOD_BYTES) return -1;
  // For most methods, the first letter already rules out CONNECT and PRI.
  const isOdd = bytes[from] === LETTER_C || bytes[from] === LETTER_P;
  return isOdd && hasNoEndpoint(bytes, from, i) ? -1 : i;
}

// A separate function, so that `findMethodEnd` does not allocate a closure on every call.
function hasNoEndpoint(bytes: Uint8Array, from: number, to: number): boolean {
  return NO_ENDPOINT.some((method) =>
    method.length === to - from && method.every((byte, i) => byte === bytes[from + i])
  );
}

/**
 * Returns the offset where the query at `from` ends: the first space, tab, quote, backslash or LF.
 */
export function findQueryEnd(bytes: Uint8Array, from: number): number {
  let i = from;
  while (QUERY_BYTE[bytes[i]] === 1) i++;
  return i;
}

/**
 * Returns the offset of the quote that follows the version (` HTTP/x.y` or ` HTTP/x`) at `at`.
 * Returns -1 if there is no version or no quote follows it. Ten bytes from `at` must be readable.
 */
export function findVersionEnd(bytes: Uint8Array, view: DataView, at: number): number {
  const isHttp = view.getInt32(at, true) === SPACE_HTT && view.getUint16(at + 4, true) === P_SLASH;
  if (!isHttp || !isDigit(view.getUint8(at + 6))) return -1;
  const next = at + " HTTP/1".length;
  if (bytes[next] === QUOTE) return next;
  const hasMinor = bytes[next] === DOT && isDigit(bytes[next + 1]) && bytes[next + 2] === QUOTE;
  return hasMinor ? next + 2 : -1;
}

/**
 * Returns the end offset of the target at `from`, or -1 if it contains spaces and no version
 * follows it. `to` is the end of the request line.
 */
export function findTargetEnd(bytes: Uint8Array, from: number, to: number): number {
  const long = to - " HTTP/1.1".length;
  const hasMinor = bytes[to - 2] === DOT && isDigit(bytes[to - 1]);
  if (long >= from && hasMinor && isVersion(bytes, long)) return long;
  const short = to - " HTTP/1".length;
  if (short >= from && isVersion(bytes, short)) return short;
  for (let i = from; i < to; i++) if (bytes[i] === SPACE) return -1;
  return to;
}

/**
 * Returns the end offset of the `scheme://authority` at `from`, or -1 if `bytes[from, to)` does not
 * start with a scheme and a non-empty authority.
 */
export function findAuthorityEnd(bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to && SCHEME_BYTE[bytes[i]] === 1) i++;
  const isScheme = i > from && isLetter(bytes[from]) && bytes[i] === COLON &&
    bytes[i + 1] === SLASH && bytes[i + 2] === SLASH;
  const authority = i + 3;
  if (!isScheme || authority > to) return -1;
  for (i = authority; i < to && bytes[i] !== SLASH && bytes[i] !== QUESTION;) i++;
  return i === authority ? -1 : i;
}

/** Reports whether ` HTTP/`, followed by a digit, is at `at`. */
function isVersion(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === SPACE && bytes[at + 1] === 0x48 && bytes[at + 2] === 0x54 &&
    bytes[at + 3] === 0x54 && bytes[at + 4] === 0x50 && bytes[at + 5] === SLASH &&
    isDigit(bytes[at + 6]);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isLetter(byte: number): boolean {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

/**
 * Returns a lookup table by byte value: 1 for bytes whose character matches `pattern`, otherwise 0.
 */
function bytesLike(pattern: RegExp): Uint8Array {
  return Uint8Array.from(
    { length: 256 },
    (_, byte) => pattern.test(String.fromCharCode(byte)) ? 1 : 0,
  );
}
