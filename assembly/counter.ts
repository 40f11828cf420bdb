// Counts the usual lines of an access log, 16 bytes at a time. Lines are in memory as a whole; what is
// not as usual is left to others. See src/traffic/accesslog/counter.
import * as kind from "../src/traffic/accesslog/counter/column_kinds";
import { COLUMN_BYTES, INPUT } from "../src/traffic/accesslog/counter/memory";
import { clf } from "./clf";
import * as column from "./column";
import { json } from "./json";
import { keyAt, keyLength, makePlainKey, replaceIds } from "./key";
import * as request from "./request";
import { find, findQuoted, lineEnd, stands } from "./search";
import { addKey, clearTable, countKnown, countSecond, hasRoom } from "./table";
import * as time from "./time";

export { recordsTo, runsTo } from "./table";
export { setDay } from "./time";

const LF: u8 = 0x0a;
const HASH: u8 = 0x23;
const DASH: u8 = 0x2d;

/** How many lines were read so far, blank ones included. */
export let lines: u32 = 0;
/** Requests; those with a query; those with an id in their path. */
export let requests: u32 = 0;
export let withQuery: u32 = 0;
export let withId: u32 = 0;
/** Whether counting stopped for want of room. */
export let isFull: bool = false;

let columnsTo: i32 = 0;

/** There are so many columns in memory, and times are written in this notation. */
export function setColumns(count: i32, notation: i32): void {
  columnsTo = column.columnAt(count);
  time.setNotation(notation);
  request.forget();
}

/** Forgets what was counted. */
export function clear(seed: u32): void {
  requests = 0;
  withQuery = 0;
  withId = 0;
  clearTable(seed);
}

/**
 * Counts lines from `from` to `to`, byte INPUT being byte `base` of the log. Gives where it stopped: at
 * `to`, or at the first line that is not as usual or finds no room.
 */
export function count(from: i32, to: i32, base: f64): i32 {
  let line = from;
  isFull = false;
  while (line < to) {
    if (load<u8>(line) === LF) {
      lines++;
      line++;
      continue;
    }
    const at = read(line);
    if (at === 0) return line;
    if (!take(base + <f64> (line - INPUT))) {
      isFull = true;
      return line;
    }
    lines++;
    line = lineEnd(at) + 1;
  }
  return line;
}

/** Counts the request read last; says whether there was room for it. */
function take(first: f64): bool {
  if (!hasRoom()) return false;
  makePlainKey();
  let hasId = false;
  // A key that is known has no id in it: those of the known ones are replaced.
  if (!countKnown(keyAt, keyLength, first)) {
    hasId = replaceIds();
    const isKnown = hasId && countKnown(keyAt, keyLength, first);
    if (!isKnown && !addKey(keyAt, keyLength, first)) return false;
  }
  countSecond(time.second);
  requests++;
  withQuery += request.hasQuery;
  withId += hasId;
  return true;
}

/** Reads the columns of a line; gives where they end, or 0 when they are not as usual. */
function read(line: i32): i32 {
  if (load<u8>(line) === HASH) return 0;
  let at = line;
  for (let next = column.columnAt(0); next < columnsTo; next += COLUMN_BYTES) {
    at = readColumn(next, at);
    if (at === 0) return 0;
  }
  return at;
}

/** Reads a column and the text behind it; gives where that ends, or 0. */
function readColumn(which: i32, from: i32): i32 {
  const stop = column.stopOf(which);
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
      if (at - from < column.leastOf(which)) return 0;
      break;
    case kind.CLF:
      return clf(from);
    case kind.JSON:
      return json(which, from);
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
    case kind.QUERY:
      at = request.query(from, stop);
      break;
    case kind.STATUS:
      at = request.status(from);
      break;
  }
  return at !== 0 && isBehind(which, at, stop) ? at + column.behindLength(which) : 0;
}

function isBehind(which: i32, at: i32, stop: u8): bool {
  if (load<u8>(at) !== stop) return false;
  return column.behindLength(which) <= 1 || stands(at, column.behindOf(which));
}

function skip(which: i32, from: i32, stop: u8): i32 {
  let at = find(from, stop);
  while (load<u8>(at) === stop && !isBehind(which, at, stop)) at = find(at + 1, stop);
  return at;
}

function skipQuoted(which: i32, from: i32, stop: u8): i32 {
  let at = findQuoted(from, stop);
  while (load<u8>(at) === stop && !isBehind(which, at, stop)) at = findQuoted(at + 1, stop);
  return at;
}
