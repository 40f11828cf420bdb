import * as ascii from "../../../../base/ascii.ts";
import { MIN_HEX_DIGITS, UUID_DASHES, UUID_LENGTH } from "../../../id_shape.ts";
import { hexByte, writePercent } from "../text/escapes.ts";

const {
  BACKSLASH,
  COLON,
  DOLLAR,
  DOT,
  HASH,
  LF,
  OPEN_BRACE,
  PERCENT,
  QUESTION,
  QUOTE,
  SEMICOLON,
  SLASH,
  SPACE,
} = ascii;
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

const LOWER_CASE = 0x20;
const SESSION = new TextEncoder().encode(";jsessionid=");
/** Lookup table by byte value: 1 for unreserved characters (RFC 3986, section 2.3). */
const UNRESERVED = Uint8Array.from(
  { length: 256 },
  (_, byte) => /[A-Za-z0-9._~-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/**
 * Writes the recorded path in `bytes[from, to)` to the beginning of `out`, escaped for a plan. If
 * the path contains a `?`, stops after writing the `?`. If it contains a `#`, stops before writing
 * the `#`, because the rest is a fragment, which clients must not send. Returns the number of bytes
 * written, which is at most three times the length of the path.
 *
 * Equivalent paths produce the same text: percent-encoded unreserved characters are decoded, other
 * percent-encodings are written in upper case, non-ASCII bytes are percent-encoded, and
 * `;jsessionid=…` is removed. `${` becomes `$${`.
 */
export function writeTemplateText(
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
): number {
  let length = 0;
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    if (byte === HASH) return length;
    const encoded = decodePercent(bytes, i, to);
    if (encoded >= 0 && isUnreserved(encoded)) out[length++] = encoded;
    else if (encoded >= 0 || byte >= 0x80) {
      length = writePercent(encoded >= 0 ? encoded : byte, out, length);
    } else if (byte === SEMICOLON && isSessionParameter(bytes.subarray(0, to), i)) {
      i++;
      while (
        i < to && bytes[i] !== SLASH && bytes[i] !== SEMICOLON && bytes[i] !== QUESTION &&
        bytes[i] !== HASH
      ) i++;
      i--;
    } else {
      if (byte === DOLLAR && i + 1 < to && bytes[i + 1] === OPEN_BRACE) out[length++] = DOLLAR;
      out[length++] = byte;
      if (byte === QUESTION) return length;
    }
    if (encoded >= 0) i += 2;
  }
  return length;
}

/**
 * Reports whether the ASCII path in `bytes[from, to)` is in normal form: it contains no lower-case
 * percent-encoding, no percent-encoded unreserved character and no `;jsessionid=`.
 */
export function isNormalPath(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    if (bytes[i] === SEMICOLON && isSessionParameter(bytes, i)) return false;
    const byte = decodePercent(bytes, i, to);
    if (byte < 0) continue;
    const isLower = bytes[i + 1] >= 0x61 || bytes[i + 2] >= 0x61;
    if (isLower || isUnreserved(byte)) return false;
  }
  return true;
}

/**
 * Decodes the percent-encoded byte at `at` and returns it, or -1 if there is no complete
 * percent-encoding before `to`.
 */
function decodePercent(bytes: Uint8Array, at: number, to: number): number {
  if (bytes[at] !== PERCENT || at + 2 >= to) return -1;
  return hexByte(bytes[at + 1], bytes[at + 2]);
}

/**
 * Reports whether a byte is an unreserved character, which has the same meaning in a URL whether or
 * not it is percent-encoded.
 */
function isUnreserved(byte: number): boolean {
  return UNRESERVED[byte] === 1;
}

/** Reports whether `;jsessionid=`, in any letter case, is at `at`. */
function isSessionParameter(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < SESSION.length; i++) {
    const byte = bytes[at + i];
    const isUpper = byte >= 0x41 && byte <= 0x5a;
    if ((isUpper ? byte | LOWER_CASE : byte) !== SESSION[i]) return false;
  }
  return true;
}

// The rule that decides which path segments are ids. The line counter applies the same rule,
// because scripts/assembly.ts generates its tables and constants from this file.

/** Placeholder that replaces each id in a route. */
export const ID_PLACEHOLDER = "${vars.id}";

/** Bit in `SEGMENT_CLASS` that marks bytes that never occur in an id. */
export const NO_ID = 8;
const DIGIT = 1;
const HEX_LETTER = 2;
const DASH = 4;

/**
 * Class of each byte value. The class of a path segment is the bitwise OR of the classes of its
 * bytes.
 */
export const SEGMENT_CLASS: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  if (/[0-9]/.test(char)) return DIGIT;
  if (/[A-Fa-f]/.test(char)) return HEX_LETTER;
  return char === "-" ? DASH : NO_ID;
});

/**
 * Reports whether the path segment `bytes[from, to)` is an id: all digits, a UUID, or at least 16
 * hex digits. `classes` is the bitwise OR of the classes of its bytes.
 */
export function isId(bytes: Uint8Array, from: number, to: number, classes: number): boolean {
  if (classes === 0 || classes >= NO_ID) return false;
  if (classes === DIGIT) return true;
  const length = to - from;
  if ((classes & DASH) === 0) return length >= MIN_HEX_DIGITS;
  return length === UUID_LENGTH && isUuid(bytes, from);
}

/**
 * Reports whether the 36 bytes that start at `from`, which must be hex digits and dashes, have
 * dashes exactly where a UUID has them.
 */
function isUuid(bytes: Uint8Array, from: number): boolean {
  for (let i = 0; i < UUID_LENGTH; i++) {
    const isDash = SEGMENT_CLASS[bytes[from + i]] === DASH;
    if (isDash !== UUID_DASHES.includes(i)) return false;
  }
  return true;
}
