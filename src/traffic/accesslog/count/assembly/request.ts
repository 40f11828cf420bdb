import { DASH, DOT, PERCENT, QUESTION, SEMICOLON, SLASH, SPACE } from "../../../../base/ascii";
import { ID, ID_LENGTH, JOINED, REPLACED } from "../memory";
import { digitsAt, idBytesAt, pathEnd, queryEnd, slashesAt } from "./search";
import {
  MIN_HEX_DIGITS,
  UUID_DASH_1,
  UUID_DASH_2,
  UUID_DASH_3,
  UUID_DASH_4,
  UUID_LENGTH,
} from "./tables";

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
const MAX_METHOD_BYTES: i32 = 32;
const MAX_PATH_BYTES: i32 = 2048;

export let methodAt: i32 = 0;
export let methodTo: i32 = 0;
export let pathAt: i32 = 0;
export let pathTo: i32 = 0;
export let targetTo: i32 = 0;
export let hasQuery: bool = false;
export let statusAt: i32 = 0;

/** 0 if the status of the current line has not been found yet. */
export function setStatusAt(at: i32): void {
  statusAt = at;
}

/** Resets `hasQuery`. Call it for lines whose columns do not include a query. */
export function resetQuery(): void {
  hasQuery = false;
}

// Each of these functions returns the end address of the text that it reads, or 0 if the text does
// not match.

/** `METHOD target HTTP/x.y`. The target ends at the first `stop`, or earlier. */
export function request(at: i32, stop: i32): i32 {
  const space = method(at);
  if (space === 0 || load<u8>(space) !== SPACE) return 0;
  const path = load<u8>(space + 1) === SLASH ? space + 1 : authorityEnd(space + 1);
  if (path === 0) return 0;
  const end = target(path, stop);
  return end === 0 ? 0 : versionEnd(end);
}

/** CONNECT and PRI are invalid, because they have no endpoint. */
export function method(at: i32): i32 {
  const word = load<u32>(at);
  methodAt = at;
  methodTo = at + 3;
  if (word === GET_SPACE) return methodTo;
  if (word === CONN || !isUpper(<u8> word)) return 0;
  methodTo = at + 1;
  while (isMethod(load<u8>(methodTo))) methodTo++;
  if (methodTo - at === 3 && (word & 0xffffff) === PRI) return 0;
  return methodTo - at <= MAX_METHOD_BYTES ? methodTo : 0;
}

export function target(at: i32, stop: i32): i32 {
  const end = path(at, stop);
  if (end === 0) return 0;
  hasQuery = load<u8>(end) === QUESTION;
  targetTo = hasQuery ? queryEnd(end + 1, stop) : end;
  return targetTo;
}

/**
 * Reads the `/path` at `at`. Returns its end address, or 0 if the path is not in normal form (see
 * log_request.ts).
 */
export function path(at: i32, stop: i32): i32 {
  if (load<u8>(at) !== SLASH) return 0;
  let end = pathEnd(at, stop);
  for (let byte = load<u8>(end); byte === PERCENT || byte === SEMICOLON; byte = load<u8>(end)) {
    if (byte === stop) break;
    if (!isNormal(end)) return 0;
    end = pathEnd(end + 1, stop);
  }
  pathAt = at;
  pathTo = end;
  return end - at <= MAX_PATH_BYTES ? end : 0;
}

/** A single `-` means that there is no query. */
export function query(at: i32, stop: i32): i32 {
  const end = queryEnd(at, stop);
  hasQuery = end > at && (end > at + 1 || load<u8>(at) !== DASH);
  return end;
}

export function status(at: i32): i32 {
  const word = load<u32>(at) & 0xffffff;
  const isNumber = (word & 0xf0f0f0) === 0x303030 && ((word + 0x060606) & 0xf0f0f0) === 0x303030;
  statusAt = at;
  return isNumber ? at + 3 : 0;
}

/** Such as `https://example.com`. */
function authorityEnd(at: i32): i32 {
  if (load<u32>(at) !== HTTP) return 0;
  const colon = load<u8>(at + 4) === LETTER_S ? at + 5 : at + 4;
  if ((load<u32>(colon) & 0xffffff) !== COLON_SLASHES) return 0;
  const end = pathEnd(colon + 3, SLASH);
  return end > colon + 3 && load<u8>(end) === SLASH ? end : 0;
}

/** ` HTTP/x.y` or ` HTTP/x`. */
function versionEnd(at: i32): i32 {
  if ((load<u64>(at) & 0xffffffffffff) !== SPACE_HTTP || !isDigit(load<u8>(at + 6))) return 0;
  if (load<u8>(at + 7) !== DOT) return at + 7;
  return isDigit(load<u8>(at + 8)) ? at + 9 : 0;
}

/** Whether the `%` or `;` at `at` starts a part that needs no rewriting. */
function isNormal(at: i32): bool {
  const next = load<u8>(at + 1);
  if (load<u8>(at) === SEMICOLON) return (next | 0x20) !== LETTER_J;
  const high = hexDigit(next);
  const low = hexDigit(load<u8>(at + 2));
  // Invalid encodings are kept. Encodings in lower case and encodings of unreserved characters must
  // be rewritten.
  if (high > 15 || low > 15) return high !== LOWER_HEX && low !== LOWER_HEX;
  return !isUnreserved(<u8> (high << 4 | low));
}

/** `LOWER_HEX` for a lower-case digit, 255 for any other byte. */
function hexDigit(byte: u8): u8 {
  if (isDigit(byte)) return byte - 0x30;
  if (<u8> (byte - 0x41) < 6) return byte - 0x37;
  return <u8> (byte - 0x61) < 6 ? LOWER_HEX : 255;
}

function isUnreserved(byte: u8): bool {
  return isUpper(byte & 0xdf) && (byte & 0x40) !== 0 || isDigit(byte) || byte === DASH ||
    byte === DOT || byte === 0x5f || byte === 0x7e;
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

/** The last request's key, `METHOD route`. */
export let keyAt: i32 = 0;
export let keyLength: i32 = 0;
let keyPath: i32 = 0;

/** Does not replace ids in the path. */
export function buildPlainKey(): void {
  keyAt = methodAt;
  keyPath = pathAt;
  if (methodTo + 1 !== pathAt || load<u8>(methodTo) !== SPACE) {
    keyAt = JOINED;
    keyPath = append(JOINED, methodAt, methodTo) + 1;
    append(keyPath, pathAt, pathTo);
    store<u8>(keyPath - 1, SPACE);
  }
  keyLength = keyPath + (pathTo - pathAt) - keyAt;
}

/** Returns false if the key contains no ids. */
export function replaceIds(): bool {
  const to = keyAt + keyLength;
  let copied = keyAt;
  let out = REPLACED;
  for (let block = keyPath; block < to; block += 16) {
    // Skips segments whose first byte cannot occur in an id. Most segments are skipped.
    let found = slashesAt(block) & idBytesAt(block + 1);
    for (; found !== 0; found &= found - 1) {
      const segment = block + ctz(found) + 1;
      const end = segment < to ? idEnd(segment, to) : 0;
      if (end === 0) continue;
      out = append(append(out, copied, segment), ID, ID + load<u32>(ID_LENGTH));
      copied = end;
    }
  }
  if (copied === keyAt) return false;
  keyAt = REPLACED;
  keyLength = append(out, copied, to) - REPLACED;
  return true;
}

/** Returns the end of the segment if it is an id (see log_request.ts), or 0. */
function idEnd(at: i32, to: i32): i32 {
  const others = ~idBytesAt(at) & 0xffff;
  const end = others === 0 ? longEnd(at + 16, to) : min(at + ctz(others), to);
  const length = end - at;
  if (length === 0 || (end < to && load<u8>(end) !== SLASH)) return 0;
  if (length < MIN_HEX_DIGITS) {
    const all = (1 << length) - 1;
    return (digitsAt(at) & all) === all ? end : 0;
  }
  let dashes: i32 = 0;
  for (let i = at; i < end; i++) dashes += i32(load<u8>(i) === DASH);
  if (dashes === 0) return end;
  return dashes === 4 && length === UUID_LENGTH && isUuid(at) ? end : 0;
}

/** End of the hex digits and dashes at `from`. */
function longEnd(from: i32, to: i32): i32 {
  let at = from;
  while (at < to && (idBytesAt(at) & 1) !== 0) at++;
  return min(at, to);
}

/** 36 hex digits with exactly four dashes. */
function isUuid(at: i32): bool {
  return load<u8>(at, UUID_DASH_1) === DASH && load<u8>(at, UUID_DASH_2) === DASH &&
    load<u8>(at, UUID_DASH_3) === DASH && load<u8>(at, UUID_DASH_4) === DASH;
}

/** Overwrites up to 15 bytes after the copy. Returns its end. */
function append(out: i32, from: i32, to: i32): i32 {
  for (let at = from; at < to; at += 16) v128.store(out + (at - from), v128.load(at));
  return out + (to - from);
}
