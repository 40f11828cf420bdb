import * as ascii from "../../../../base/ascii.ts";
import { parseTwoDigits } from "./calendar.ts";

const { COLON, DASH, PLUS, SPACE } = ascii;
const LETTER_Z = 0x5a;
const NAMES = ["UTC", "GMT"].map((name) => new TextEncoder().encode(name));

/**
 * Parses the UTC offset in `bytes[from, to)` and returns it in milliseconds. Accepts `Z`, `UTC`, `GMT`,
 * `+hh`, `+hhmm` and `+hh:mm`, with an optional space before. Returns 0 for an empty range and NaN for
 * invalid text.
 */
export function parseZone(bytes: Uint8Array, from: number, to: number): number {
  if (from === to) return 0;
  const at = bytes[from] === SPACE ? from + 1 : from;
  const length = to - at;
  if (length === 1 && bytes[at] === LETTER_Z) return 0;
  const sign = bytes[at] === PLUS ? 1 : bytes[at] === DASH ? -1 : 0;
  if (sign === 0) return length === 3 && isName(bytes, at) ? 0 : NaN;
  const colon = length === 6 && bytes[at + 3] === COLON ? 1 : 0;
  if (length !== 3 && length !== 5 + colon) return NaN;
  const hours = parseTwoDigits(bytes, at + 1);
  const minutes = length === 3 ? 0 : parseTwoDigits(bytes, at + 3 + colon);
  const isValid = hours >= 0 && hours <= 14 && minutes >= 0 && minutes <= 59;
  return isValid ? sign * (hours * 60 + minutes) * 60_000 : NaN;
}

/**
 * Returns the end offset of the zone that follows the space at `at`. The zone must end at a space or at
 * the end of the field, `end`. Returns -1 if no valid zone follows.
 */
export function findZoneEnd(bytes: Uint8Array, at: number, end: number): number {
  let to = at + 1;
  while (to < end && to <= at + 7 && bytes[to] !== SPACE) to++;
  const isEnded = to > at + 1 && (to === end || bytes[to] === SPACE);
  return isEnded && !Number.isNaN(parseZone(bytes, at, to)) ? to : -1;
}

function isName(bytes: Uint8Array, at: number): boolean {
  for (const name of NAMES) {
    if (name[0] === bytes[at] && name[1] === bytes[at + 1] && name[2] === bytes[at + 2]) {
      return true;
    }
  }
  return false;
}
