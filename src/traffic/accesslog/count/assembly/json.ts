import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LF,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from "../../../../base/ascii";
import * as kind from "../column_kinds";
import {
  COLUMN_BYTES,
  FOUND,
  FOUND_BYTES,
  FOUND_ENTRY_BYTES,
  FOUND_FROM,
  FOUND_TO,
} from "../memory";
import * as column from "./column";
import * as request from "./request";
import { findQuoted, matchesAt } from "./search";
import { readTime } from "./time";

const LETTER_N: u8 = 0x6e;
/** The characters `http.log` and `g.access` as little-endian words. */
const HTTP_LOG: u64 = 0x676f6c2e70747468;
const G_ACCESS: u64 = 0x7373656363612e67;

/**
 * Reads a line that is a JSON object. The columns after `which` describe its relevant members. The
 * rest of the object is skipped without validation, as in json_splitter.ts. Returns the address of
 * the closing brace, or 0 if the line does not match.
 */
export function readJson(which: i32, at: i32): i32 {
  if (load<u8>(at) !== OPEN_BRACE) return 0;
  memory.fill(FOUND, 0, FOUND_BYTES);
  const members = which + COLUMN_BYTES;
  const end = object(at + 1, members, members + column.memberCount(which) * COLUMN_BYTES);
  return end !== 0 && isRequest() ? end : 0;
}

/** Reports whether the recorded members contain a valid time and request. */
function isRequest(): bool {
  const time = fromOf(kind.TIME);
  if (time === 0 || readTime(time) !== toOf(kind.TIME)) return false;
  const logger = fromOf(kind.LOGGER);
  if (logger !== 0 && !isAccessLogger(logger)) return false;
  const status = fromOf(kind.STATUS);
  if (status !== 0 && request.status(status) !== toOf(kind.STATUS)) return false;
  const line = fromOf(kind.REQUEST);
  if (line !== 0) return request.request(line, QUOTE) === toOf(kind.REQUEST);
  const method = fromOf(kind.METHOD);
  if (method === 0 || request.method(method) !== toOf(kind.METHOD)) return false;
  const target = fromOf(kind.TARGET);
  if (target !== 0) return request.target(target, QUOTE) === toOf(kind.TARGET);
  const path = fromOf(kind.PATH);
  if (path === 0 || request.path(path, QUOTE) !== toOf(kind.PATH)) return false;
  const query = fromOf(kind.QUERY);
  request.resetQuery();
  return query === 0 || request.query(query, QUOTE) === toOf(kind.QUERY);
}

function isAccessLogger(at: i32): bool {
  return load<u64>(at) === HTTP_LOG && load<u64>(at + 7) === G_ACCESS;
}

function fromOf(which: i32): i32 {
  return load<i32>(FOUND + which * FOUND_ENTRY_BYTES, FOUND_FROM);
}

function toOf(which: i32): i32 {
  return load<i32>(FOUND + which * FOUND_ENTRY_BYTES, FOUND_TO);
}

/**
 * Records `[from, to)` as the address range of a member's value. `which` is the kind of column that
 * describes the member. Does nothing if the line already had a member of that kind.
 */
function record(which: i32, from: i32, to: i32): void {
  if (fromOf(which) !== 0) return;
  const entry = FOUND + which * FOUND_ENTRY_BYTES;
  store<i32>(entry, from, FOUND_FROM);
  store<i32>(entry, to, FOUND_TO);
}

/**
 * Reads the members of an object. `from` is the address after its opening brace. Returns the
 * address of its closing brace, or 0 if the line ends first.
 */
function object(from: i32, members: i32, membersTo: i32): i32 {
  let at = from;
  for (let byte: u8; (byte = load<u8>(at)) !== CLOSE_BRACE; at++) {
    if (byte === LF) return 0;
    if (byte !== QUOTE) continue;
    const close = stringEnd(at + 1);
    if (close === 0) return 0;
    const member = findMember(at + 1, close, members, membersTo);
    at = close + 1;
    while (load<u8>(at) === COLON || load<u8>(at) === SPACE) at++;
    at = member === 0 ? skipValue(at) : readValue(at, member);
    if (at === 0) return 0;
  }
  return at;
}

/**
 * Returns the address of the column for the member whose name is in `[from, to)`, or 0 if the
 * member is not relevant.
 */
function findMember(from: i32, to: i32, members: i32, membersTo: i32): i32 {
  for (let member = members; member < membersTo; member += COLUMN_BYTES) {
    const isMatch = column.delimiterLength(member) === to - from &&
      matchesAt(from, column.delimiterAt(member));
    if (isMatch) return member;
    if (column.kindOf(member) === kind.OBJECT) member += column.memberCount(member) * COLUMN_BYTES;
  }
  return 0;
}

/**
 * Reads the value of a relevant member. Returns the address of its last byte, or 0 if the line ends
 * first.
 */
function readValue(at: i32, member: i32): i32 {
  const byte = load<u8>(at);
  const which = column.kindOf(member);
  if (which === kind.OBJECT) {
    if (byte !== OPEN_BRACE) return skipValue(at);
    const members = member + COLUMN_BYTES;
    return object(at + 1, members, members + column.memberCount(member) * COLUMN_BYTES);
  }
  const last = skipValue(at);
  if (last === 0) return 0;
  if (byte === QUOTE) record(which, at + 1, last);
  else if (byte === OPEN_BRACKET) {
    if (load<u8>(at + 1) === QUOTE) record(which, at + 2, stringEnd(at + 2));
  } else if (byte !== OPEN_BRACE && byte !== LETTER_N) record(which, at, last + 1);
  return last;
}

/** Skips a value. Returns the address of its last byte, or 0 if the line ends first. */
function skipValue(from: i32): i32 {
  if (load<u8>(from) === QUOTE) return stringEnd(from + 1);
  let depth = 0;
  let at = from;
  for (let byte: u8; (byte = load<u8>(at)) !== LF; at++) {
    if (byte === QUOTE) {
      at = stringEnd(at + 1);
      if (at === 0) return 0;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return at - 1;
      if (--depth === 0) return at;
    } else if (byte === COMMA && depth === 0) return at - 1;
  }
  return 0;
}

/**
 * Returns the address of the closing quote of the string whose content starts at `from`, or 0 if
 * the line ends first.
 */
function stringEnd(from: i32): i32 {
  let at = findQuoted(from, QUOTE);
  while (load<u8>(at) === BACKSLASH) {
    if (load<u8>(at + 1) === LF) return 0;
    at = findQuoted(at + 2, QUOTE);
  }
  return load<u8>(at) === QUOTE ? at : 0;
}
