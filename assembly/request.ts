import { pathEnd, queryEnd } from "./search";

const SPACE: u8 = 0x20;
const SLASH: u8 = 0x2f;
const DASH: u8 = 0x2d;
const POINT: u8 = 0x2e;
const QUESTION: u8 = 0x3f;
const PERCENT: u8 = 0x25;
const SEMICOLON: u8 = 0x3b;
const LETTER_J: u8 = 0x6a;
const LOWER_HEX: u8 = 254;
const LETTER_S: u8 = 0x73;
// Words in little-endian order.
const GET_SPACE: u32 = 0x20544547;
const CONN: u32 = 0x4e4e4f43;
const PRI: u32 = 0x495250;
const HTTP: u32 = 0x70747468;
const COLON_SLASHES: u32 = 0x2f2f3a;
const SPACE_HTTP: u64 = 0x2f5054544820;
const MOST_METHOD_BYTES: i32 = 32;
const MOST_PATH_BYTES: i32 = 2048;

/** What was read last: where the method and the path stand, and whether a query is behind it. */
export let methodAt: i32 = 0;
export let methodTo: i32 = 0;
export let pathAt: i32 = 0;
export let pathTo: i32 = 0;
export let hasQuery: bool = false;

/** The lines to come may be of another kind. */
export function forget(): void {
  hasQuery = false;
}

// Each gives where what it read ends, and 0 when it is not what is usual.

/** `METHOD target HTTP/x.y`; a `stop` ends it before. */
export function request(at: i32, stop: u8): i32 {
  const space = method(at);
  if (space === 0 || load<u8>(space) !== SPACE) return 0;
  const path = load<u8>(space + 1) === SLASH ? space + 1 : authorityEnd(space + 1);
  if (path === 0) return 0;
  const end = target(path, stop);
  return end === 0 ? 0 : versionEnd(end);
}

/** `GET`. CONNECT and PRI have no endpoint and are left to the reader of single lines. */
export function method(at: i32): i32 {
  const word = load<u32>(at);
  methodAt = at;
  methodTo = at + 3;
  if (word === GET_SPACE) return methodTo;
  if (word === CONN || !isUpper(<u8> word)) return 0;
  methodTo = at + 1;
  while (isMethod(load<u8>(methodTo))) methodTo++;
  if (methodTo - at === 3 && (word & 0xffffff) === PRI) return 0;
  return methodTo - at <= MOST_METHOD_BYTES ? methodTo : 0;
}

/** `/path?query`. */
export function target(at: i32, stop: u8): i32 {
  const end = path(at, stop);
  if (end === 0) return 0;
  hasQuery = load<u8>(end) === QUESTION;
  return hasQuery ? queryEnd(end + 1, stop) : end;
}

/** `/path` in its normal form; see path_normal.ts. */
export function path(at: i32, stop: u8): i32 {
  if (load<u8>(at) !== SLASH) return 0;
  let end = pathEnd(at, stop);
  for (let byte = load<u8>(end); byte === PERCENT || byte === SEMICOLON; byte = load<u8>(end)) {
    if (byte === stop) break;
    if (!isNormal(end)) return 0;
    end = pathEnd(end + 1, stop);
  }
  pathAt = at;
  pathTo = end;
  return end - at <= MOST_PATH_BYTES ? end : 0;
}

/** `a=1`, or `-` for none. */
export function query(at: i32, stop: u8): i32 {
  const end = queryEnd(at, stop);
  hasQuery = end > at && (end > at + 1 || load<u8>(at) !== DASH);
  return end;
}

/** Three digits. */
export function status(at: i32): i32 {
  const word = load<u32>(at) & 0xffffff;
  const isNumber = (word & 0xf0f0f0) === 0x303030 && ((word + 0x060606) & 0xf0f0f0) === 0x303030;
  return isNumber ? at + 3 : 0;
}

/** Where the path of a URL starts. */
function authorityEnd(at: i32): i32 {
  if (load<u32>(at) !== HTTP) return 0;
  const colon = load<u8>(at + 4) === LETTER_S ? at + 5 : at + 4;
  if ((load<u32>(colon) & 0xffffff) !== COLON_SLASHES) return 0;
  const end = pathEnd(colon + 3, SLASH);
  return end > colon + 3 && load<u8>(end) === SLASH ? end : 0;
}

/** Where ` HTTP/x.y` or ` HTTP/x` ends. */
function versionEnd(at: i32): i32 {
  if ((load<u64>(at) & 0xffffffffffff) !== SPACE_HTTP || !isDigit(load<u8>(at + 6))) return 0;
  if (load<u8>(at + 7) !== POINT) return at + 7;
  return isDigit(load<u8>(at + 8)) ? at + 9 : 0;
}

/** Whether the percent-encoding or the path parameter at `at` may stay as it is. */
function isNormal(at: i32): bool {
  const next = load<u8>(at + 1);
  if (load<u8>(at) === SEMICOLON) return (next | 0x20) !== LETTER_J;
  const high = hexDigit(next);
  const low = hexDigit(load<u8>(at + 2));
  // What is no encoding stays; one in lower case or of an unreserved character does not.
  if (high > 15 || low > 15) return high !== LOWER_HEX && low !== LOWER_HEX;
  return !isUnreserved(<u8> (high << 4 | low));
}

/** The value of an upper-case hex digit, `LOWER_HEX` for a lower-case one, 255 for any other byte. */
function hexDigit(byte: u8): u8 {
  if (isDigit(byte)) return byte - 0x30;
  if (<u8> (byte - 0x41) < 6) return byte - 0x37;
  return <u8> (byte - 0x61) < 6 ? LOWER_HEX : 255;
}

function isUnreserved(byte: u8): bool {
  return isUpper(byte & 0xdf) && (byte & 0x40) !== 0 || isDigit(byte) || byte === DASH ||
    byte === POINT || byte === 0x5f || byte === 0x7e;
}

function isMethod(byte: u8): bool {
  return isUpper(byte) || isDigit(byte) || byte === 0x5f || byte === DASH;
}

function isUpper(byte: u8): bool {
  return <u8> (byte - 0x41) < 26;
}

function isDigit(byte: u8): bool {
  return <u8> (byte - 0x30) <= 9;
}
