import { CR, DASH, HASH, LF, OPEN_BRACKET, PERCENT, QUOTE, SPACE } from "../../../../base/ascii";
import * as kind from "../column_kinds";
import { COLUMN_BYTES } from "../memory";
import * as column from "./column";
import { readJson } from "./json";
import * as request from "./request";
import { find, findQuoted, matchesAt } from "./search";
import { CLF_BYTES } from "./tables";
import * as time from "./time";

// Reads the columns of a line in the order of the log's format.

let columnsTo: i32 = 0;

/** Sets the number of columns. The caller has already written the columns to memory. */
export function setColumns(count: i32): void {
  columnsTo = column.columnAt(count);
  request.resetQuery();
}

/**
 * Reads all columns of a line. Returns the end address of the last one, or 0 if the line does not
 * match.
 */
export function readLine(line: i32): i32 {
  if (load<u8>(line) === HASH) return 0;
  let at = line;
  for (let next = column.columnAt(0); next < columnsTo; next += COLUMN_BYTES) {
    at = readColumn(next, at);
    if (at === 0) return 0;
  }
  return at;
}

/**
 * Reads a column and its delimiter. Returns the end address of the delimiter, or 0 if the line does
 * not match.
 */
function readColumn(which: i32, from: i32): i32 {
  const stop = column.stopByte(which);
  let at = from;
  switch (column.kindOf(which)) {
    case kind.SKIPPED:
      at = skip(which, from, stop);
      break;
    case kind.QUOTED:
      at = skipQuoted(which, from, stop);
      break;
    case kind.WORD:
      at = find(from, stop);
      if (at - from < column.minLength(which)) return 0;
      break;
    case kind.VALUE:
      at = load<u8>(from) === QUOTE ? quotedEnd(from + 1) : find(from, stop);
      break;
    case kind.CLF:
      return readClf(from);
    case kind.JSON:
      return readJson(which, from);
    case kind.TIME:
      at = time.readTime(from);
      break;
    case kind.DATE:
      at = time.date(from);
      break;
    case kind.REQUEST:
      at = request.request(from, stop);
      break;
    case kind.METHOD:
      at = request.method(from);
      break;
    case kind.TARGET:
      at = request.target(from, stop);
      break;
    case kind.DASHED_TARGET:
      at = request.target(from, stop);
      if (at !== 0 && !request.hasQuery && load<u8>(at - 1) === DASH) return 0;
      break;
    case kind.PATH:
      at = request.path(from, stop);
      break;
    case kind.PLAIN_PATH:
      // Spaces and tabs, the delimiters of the W3C format, end every path.
      at = request.path(from, PERCENT);
      break;
    case kind.QUERY:
      at = request.query(from, stop);
      break;
    case kind.STATUS:
      at = request.status(from);
      break;
  }
  return at !== 0 && isDelimiterAt(which, at, stop) ? at + column.delimiterLength(which) : 0;
}

/**
 * Returns the address after the quoted value at `from`, or 0 if it has no end. If the value
 * contains a quote, which is doubled, returns an address that no delimiter follows.
 */
function quotedEnd(from: i32): i32 {
  const quote = find(from, QUOTE);
  return load<u8>(quote) === QUOTE ? quote + 1 : 0;
}

function isDelimiterAt(which: i32, at: i32, stop: i32): bool {
  if (load<u8>(at) !== stop) return column.delimiterLength(which) === 0 && isLineEnd(at);
  return column.delimiterLength(which) <= 1 || matchesAt(at, column.delimiterAt(which));
}

function isLineEnd(at: i32): bool {
  return load<u8>(at) === LF || (load<u8>(at) === CR && load<u8>(at + 1) === LF);
}

function skip(which: i32, from: i32, stop: i32): i32 {
  let at = find(from, stop);
  while (load<u8>(at) === stop && !isDelimiterAt(which, at, stop)) at = find(at + 1, stop);
  return at;
}

function skipQuoted(which: i32, from: i32, stop: i32): i32 {
  let at = findQuoted(from, stop);
  while (load<u8>(at) === stop && !isDelimiterAt(which, at, stop)) at = findQuoted(at + 1, stop);
  return at;
}

/** The characters `] "` as a little-endian word. */
const REQUEST_NEXT: u32 = 0x22205d;

/**
 * Reads any text followed by ` [time] "request" status size`. Returns the address of the size, or 0
 * if the line does not match.
 */
function readClf(from: i32): i32 {
  const bracket = find(from, OPEN_BRACKET);
  if (load<u8>(bracket) !== OPEN_BRACKET || bracket < from + 2 || load<u8>(bracket - 1) !== SPACE) {
    return 0;
  }
  const timeAt = bracket + 1;
  if ((load<u32>(timeAt, CLF_BYTES) & 0xffffff) !== REQUEST_NEXT || time.clfTime(timeAt) === 0) {
    return 0;
  }
  const quote = request.request(timeAt + CLF_BYTES + 3, QUOTE);
  if (quote === 0 || !hasStatus(quote)) return 0;
  request.setStatusAt(quote + 2);
  return quote + 6;
}

/**
 * Reports whether the closing quote at `at` is followed by a status and the start of a size, as in
 * `" 200 5` or `" 200 -`.
 */
function hasStatus(at: i32): bool {
  const word = load<u64>(at);
  const isShaped = (word & 0xfff0f0f0ffff) === 0x203030302022;
  if (!isShaped || ((word + 0x0606060000) & 0xf0f0f00000) !== 0x3030300000) return false;
  const size = <u8> (word >> 48);
  return <u8> (size - 0x30) <= 9 || size === DASH;
}
