import { COMMA, DOT, ZERO } from "../../../../base/ascii";
import { DAY, ZONE } from "../memory";
import { matchesAt } from "./search";
import * as tables from "./tables";

/** Six nines in ASCII. A double whose fraction starts with them may round up to the next second. */
const NINES: u64 = 0x393939393939;
const SIX_BYTES: u64 = 0xffffffffffff;

export let second: u32 = 0;
/** Midnight of the current day, in Unix seconds. The text of the day is at DAY and ZONE. */
let dayStart: u32 = 0;
let zoneLength: i32 = 0;
let isEpoch: bool = false;
let clockAt: i32 = 0;
let hasDate: bool = false;
let hasFraction: bool = false;
/** `00:00:00` as a little-endian word. */
const MIDNIGHT: u64 = 0x30303a30303a3030;
/** An empty string at DAY would match any date. */
let hasDay: bool = false;
/**
 * The last time of day (`HH:MM:SS`, little-endian) and its second, because most lines repeat it.
 */
let lastClock: u64 = MIDNIGHT;
let lastSecond: u32 = 0;

/**
 * `start` is midnight in Unix seconds. The caller first writes the date and zone to DAY and ZONE.
 */
export function setDay(start: u32, zoneBytes: i32): void {
  dayStart = start;
  zoneLength = zoneBytes;
  hasDay = true;
  lastClock = MIDNIGHT;
  lastSecond = start;
}

/** `clock` is the offset of the time of day, or -1 for Unix times; `date`: a date precedes it. */
export function setNotation(clock: i32, date: bool, fraction: bool): void {
  isEpoch = clock < 0;
  clockAt = clock;
  hasDate = date;
  hasFraction = fraction;
}

// Each of these functions returns the end address of the text that it reads, or 0 if the text does
// not match.

/**
 * Reads the timestamp at `at` in the current notation. Returns its end address, or 0 if it does not
 * match.
 */
export function readTime(at: i32): i32 {
  return isEpoch ? epochTime(at) : textTime(at);
}

/** `21/Nov/2026:10:00:00 +0000`, of the day set with `setDay`. */
export function clfTime(at: i32): i32 {
  return hasDay && zoneLength === tables.CLF_BYTES - tables.CLF_ZONE && matchesAt(at, DAY) &&
      setClock(at + tables.CLF_CLOCK) && matchesAt(at + tables.CLF_ZONE, ZONE)
    ? at + tables.CLF_BYTES
    : 0;
}

/** `2026-11-21T10:00:00.123Z`, of the day set with `setDay`. */
function textTime(at: i32): i32 {
  if (!hasDay || (hasDate && !matchesAt(at, DAY)) || !setClock(at + clockAt)) return 0;
  let zone = at + clockAt + tables.CLOCK_BYTES;
  if (hasFraction && (load<u8>(zone) === DOT || load<u8>(zone) === COMMA)) {
    zone = digitsEnd(zone + 1);
  }
  return matchesAt(zone, ZONE) ? zone + zoneLength : 0;
}

/** `2026-11-21`, if it is the current date. */
export function date(at: i32): i32 {
  return hasDay && matchesAt(at, DAY) ? at + tables.DATE_BYTES : 0;
}

/** A Unix time with or without decimals. The number of digits determines the unit. */
function epochTime(at: i32): i32 {
  const end = digitsEnd(at);
  const digits = end - at;
  if (digits < 9 || digits > 19 || load<u8>(at) === ZERO) return 0;
  if (digits >= tables.MILLISECOND_DIGITS) return smallUnits(at, end);
  const seconds = decimal(at, end);
  if (seconds >> 32 !== 0) return 0;
  second = <u32> seconds;
  if (load<u8>(end) !== DOT) return end;
  const last = digitsEnd(end + 1);
  return last > end + 1 && (load<u64>(end + 1) & SIX_BYTES) !== NINES ? last : 0;
}

/**
 * Reads the Unix time at `at` in milliseconds, microseconds or nanoseconds. Returns its end
 * address, or 0 if it does not match.
 */
function smallUnits(at: i32, end: i32): i32 {
  const digits = end - at;
  const unit: u64 = digits < tables.MICROSECOND_DIGITS
    ? 1_000
    : digits < tables.NANOSECOND_DIGITS
    ? 1_000_000
    : 1_000_000_000;
  const value = decimal(at, end);
  const seconds = value / unit;
  if (seconds >> 32 !== 0) return 0;
  second = <u32> seconds;
  const hasPoint = load<u8>(end) === DOT;
  if (digits < tables.NANOSECOND_DIGITS && !hasPoint) return end;
  // If the time has decimals or more digits than a double can store, it may round up to the next
  // second.
  if (value % unit / (unit / 1_000) === 999) return 0;
  if (!hasPoint) return end;
  const last = digitsEnd(end + 1);
  return last > end + 1 ? last : 0;
}

function digitsEnd(from: i32): i32 {
  let at = from;
  while (<u8> (load<u8>(at) - ZERO) <= 9) at++;
  return at;
}

function decimal(from: i32, to: i32): u64 {
  let value: u64 = 0;
  for (let at = from; at < to; at++) value = value * 10 + (load<u8>(at) - ZERO);
  return value;
}

/** Sets `second`; false if invalid. */
function setClock(at: i32): bool {
  const text = load<u64>(at);
  if (text !== lastClock && !readClock(text)) return false;
  second = lastSecond;
  return true;
}

/** A leap second (60) is treated as the second after 59. Returns false if invalid. */
function readClock(text: u64): bool {
  if ((text & 0xf0f0fff0f0fff0f0) !== 0x30303a30303a3030) return false;
  const digits = text & 0x0f0f000f0f000f0f;
  if (((digits + 0x0606000606000606) & 0xf0f000f0f000f0f0) !== 0) return false;
  const hour = <u32> (digits & 0xff) * 10 + <u32> ((digits >> 8) & 0xff);
  const minute = <u32> ((digits >> 24) & 0xff) * 10 + <u32> ((digits >> 32) & 0xff);
  const inMinute = <u32> ((digits >> 48) & 0xff) * 10 + <u32> (digits >> 56);
  if (hour > 23 || minute > 59 || inMinute > 60) return false;
  lastClock = text;
  lastSecond = dayStart + hour * 3600 + minute * 60 + inMinute;
  return true;
}
