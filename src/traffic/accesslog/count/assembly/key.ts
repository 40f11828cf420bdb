import { DASH, SLASH, SPACE } from "../../../../base/ascii";
import { ID, ID_LENGTH, JOINED, REPLACED } from "../memory";
import { methodAt, methodTo, pathAt, pathTo } from "./request";
import { digitsAt, idBytesAt, slashesAt } from "./search";
import {
  MIN_HEX_DIGITS,
  UUID_DASH_1,
  UUID_DASH_2,
  UUID_DASH_3,
  UUID_DASH_4,
  UUID_LENGTH,
} from "./tables";

/** Address of the last request's key, `METHOD route`. */
export let keyAt: i32 = 0;
/** Length of the last request's key, `METHOD route`, in bytes. */
export let keyLength: i32 = 0;
/** Address of the path within the key `METHOD route`. */
let keyPath: i32 = 0;

/** Builds the key of the last request. Does not replace ids in its path. */
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

/** Replaces the ids in the key. Returns false if it contains no ids. */
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

/**
 * Returns the end address of the path segment at `at` if it is an id (see id_segment.ts), otherwise
 * 0.
 */
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

/** Returns the end address of the hex digits and dashes that start at `from`. Stops at `to`. */
function longEnd(from: i32, to: i32): i32 {
  let at = from;
  while (at < to && (idBytesAt(at) & 1) !== 0) at++;
  return min(at, to);
}

/**
 * Reports whether the 36 bytes at `at` are a UUID. They must be hex digits and exactly four dashes.
 */
function isUuid(at: i32): bool {
  return load<u8>(at, UUID_DASH_1) === DASH && load<u8>(at, UUID_DASH_2) === DASH &&
    load<u8>(at, UUID_DASH_3) === DASH && load<u8>(at, UUID_DASH_4) === DASH;
}

/**
 * Copies `[from, to)` to `out` and overwrites up to 15 bytes after the copy. Returns the end
 * address of the copy.
 */
function append(out: i32, from: i32, to: i32): i32 {
  for (let at = from; at < to; at += 16) v128.store(out + (at - from), v128.load(at));
  return out + (to - from);
}
