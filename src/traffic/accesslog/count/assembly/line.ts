import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  CR,
  DASH,
  HASH,
  LF,
  OPEN_BRACE,
  OPEN_BRACKET,
  PERCENT,
  QUOTE,
  SPACE,
} from "../../../../base/ascii";
import * as shared from "../memory";
import {
  COLUMN_BYTES,
  COLUMN_DELIMITER,
  COLUMN_DELIMITER_LENGTH,
  COLUMN_KIND,
  COLUMN_MEMBERS,
  COLUMN_MIN_LENGTH,
  COLUMN_STOP,
  COLUMNS,
  FOUND,
  FOUND_BYTES,
  FOUND_ENTRY_BYTES,
  FOUND_FROM,
  FOUND_TO,
} from "../memory";
import * as request from "./request";
import { find, findQuoted, matchesAt } from "./search";
import { CLF_BYTES } from "./tables";
import * as time from "./time";

// Reads the columns of a line in the order of the log's format. A column is an entry in `COLUMNS`.

function kindOf(column: i32): i32 {
  return load<u8>(column, COLUMN_KIND);
}

function delimiterLength(column: i32): i32 {
  return load<u8>(column, COLUMN_DELIMITER_LENGTH);
}

function stopByte(column: i32): i32 {
  return load<u8>(column, COLUMN_STOP);
}

function minLength(column: i32): i32 {
  return load<u8>(column, COLUMN_MIN_LENGTH);
}

function memberCount(column: i32): i32 {
  return load<u8>(column, COLUMN_MEMBERS);
}

function delimiterAt(column: i32): i32 {
  return column + COLUMN_DELIMITER;
}

function columnAt(index: i32): i32 {
  return COLUMNS + index * COLUMN_BYTES;
}

let columnsTo: i32 = 0;

/** The caller has written the columns to memory. */
export function setColumns(count: i32): void {
  columnsTo = columnAt(count);
  request.resetQuery();
}

/** Returns the end of the last column, or 0 if the line does not match. */
export function readLine(line: i32): i32 {
  if (load<u8>(line) === HASH) return 0;
  let at = line;
  for (let next = columnAt(0); next < columnsTo; next += COLUMN_BYTES) {
    at = readColumn(next, at);
    if (at === 0) return 0;
  }
  return at;
}

/** Returns the end of the delimiter, or 0 if the line does not match. */
function readColumn(which: i32, from: i32): i32 {
  const stop = stopByte(which);
  let at = from;
  switch (kindOf(which)) {
    case shared.KIND_SKIPPED:
      at = skip(which, from, stop);
      break;
    case shared.KIND_QUOTED:
      at = skipQuoted(which, from, stop);
      break;
    case shared.KIND_WORD:
      at = find(from, stop);
      if (at - from < minLength(which)) return 0;
      break;
    case shared.KIND_VALUE:
      at = load<u8>(from) === QUOTE ? quotedEnd(from + 1) : find(from, stop);
      break;
    case shared.KIND_CLF:
      return readClf(from);
    case shared.KIND_JSON:
      return readJson(which, from);
    case shared.KIND_TIME:
      at = time.readTime(from);
      break;
    case shared.KIND_DATE:
      at = time.date(from);
      break;
    case shared.KIND_REQUEST:
      at = request.request(from, stop);
      break;
    case shared.KIND_METHOD:
      at = request.method(from);
      break;
    case shared.KIND_TARGET:
      at = request.target(from, stop);
      break;
    case shared.KIND_DASHED_TARGET:
      at = request.target(from, stop);
      if (at !== 0 && !request.hasQuery && load<u8>(at - 1) === DASH) return 0;
      break;
    case shared.KIND_PATH:
      at = request.path(from, stop);
      break;
    case shared.KIND_PLAIN_PATH:
      // Spaces and tabs, the delimiters of the W3C format, end every path.
      at = request.path(from, PERCENT);
      break;
    case shared.KIND_QUERY:
      at = request.query(from, stop);
      break;
    case shared.KIND_STATUS:
      at = request.status(from);
      break;
  }
  return at !== 0 && isDelimiterAt(which, at, stop) ? at + delimiterLength(which) : 0;
}

/**
 * Returns the address after the quoted value, or 0. A doubled quote gives one that no delimiter
 * follows.
 */
function quotedEnd(from: i32): i32 {
  const quote = find(from, QUOTE);
  return load<u8>(quote) === QUOTE ? quote + 1 : 0;
}

function isDelimiterAt(which: i32, at: i32, stop: i32): bool {
  if (load<u8>(at) !== stop) return delimiterLength(which) === 0 && isLineEnd(at);
  return delimiterLength(which) <= 1 || matchesAt(at, delimiterAt(which));
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

/** Reads any text, then ` [time] "request" status size`. Returns the address of the size, or 0. */
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

/** Whether a status and the start of a size follow the quote, as in `" 200 5` or `" 200 -`. */
function hasStatus(at: i32): bool {
  const word = load<u64>(at);
  const isShaped = (word & 0xfff0f0f0ffff) === 0x203030302022;
  if (!isShaped || ((word + 0x0606060000) & 0xf0f0f00000) !== 0x3030300000) return false;
  const size = <u8> (word >> 48);
  return <u8> (size - 0x30) <= 9 || size === DASH;
}

const LETTER_N: u8 = 0x6e;
/** The characters `http.log` and `g.access` as little-endian words. */
const HTTP_LOG: u64 = 0x676f6c2e70747468;
const G_ACCESS: u64 = 0x7373656363612e67;

/**
 * Reads a JSON object, whose relevant members are the columns after `which`; skips the rest
 * unchecked, as named_splitters.ts does. Returns the address of the closing brace, or 0.
 */
function readJson(which: i32, at: i32): i32 {
  if (load<u8>(at) !== OPEN_BRACE) return 0;
  memory.fill(FOUND, 0, FOUND_BYTES);
  const members = which + COLUMN_BYTES;
  const end = object(at + 1, members, members + memberCount(which) * COLUMN_BYTES);
  return end !== 0 && isRequest() ? end : 0;
}

function isRequest(): bool {
  const timeAt = fromOf(shared.KIND_TIME);
  if (timeAt === 0 || time.readTime(timeAt) !== toOf(shared.KIND_TIME)) return false;
  const logger = fromOf(shared.KIND_LOGGER);
  if (logger !== 0 && !isAccessLogger(logger)) return false;
  const status = fromOf(shared.KIND_STATUS);
  if (status !== 0 && request.status(status) !== toOf(shared.KIND_STATUS)) return false;
  const line = fromOf(shared.KIND_REQUEST);
  if (line !== 0) return request.request(line, QUOTE) === toOf(shared.KIND_REQUEST);
  const method = fromOf(shared.KIND_METHOD);
  if (method === 0 || request.method(method) !== toOf(shared.KIND_METHOD)) return false;
  const target = fromOf(shared.KIND_TARGET);
  if (target !== 0) return request.target(target, QUOTE) === toOf(shared.KIND_TARGET);
  const path = fromOf(shared.KIND_PATH);
  if (path === 0 || request.path(path, QUOTE) !== toOf(shared.KIND_PATH)) return false;
  const query = fromOf(shared.KIND_QUERY);
  request.resetQuery();
  return query === 0 || request.query(query, QUOTE) === toOf(shared.KIND_QUERY);
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

/** Records the value of a member, unless the line already had one of that kind. */
function record(which: i32, from: i32, to: i32): void {
  if (fromOf(which) !== 0) return;
  const entry = FOUND + which * FOUND_ENTRY_BYTES;
  store<i32>(entry, from, FOUND_FROM);
  store<i32>(entry, to, FOUND_TO);
}

/** Returns the address of the closing brace, or 0 if the line ends first. */
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

/** Column of the member, or 0 if it is not relevant. */
function findMember(from: i32, to: i32, members: i32, membersTo: i32): i32 {
  for (let member = members; member < membersTo; member += COLUMN_BYTES) {
    const isMatch = delimiterLength(member) === to - from &&
      matchesAt(from, delimiterAt(member));
    if (isMatch) return member;
    if (kindOf(member) === shared.KIND_OBJECT) member += memberCount(member) * COLUMN_BYTES;
  }
  return 0;
}

/** Returns the address of the last byte, or 0 if the line ends first. */
function readValue(at: i32, member: i32): i32 {
  const byte = load<u8>(at);
  const which = kindOf(member);
  if (which === shared.KIND_OBJECT) {
    if (byte !== OPEN_BRACE) return skipValue(at);
    const members = member + COLUMN_BYTES;
    return object(at + 1, members, members + memberCount(member) * COLUMN_BYTES);
  }
  const last = skipValue(at);
  if (last === 0) return 0;
  if (byte === QUOTE) record(which, at + 1, last);
  else if (byte === OPEN_BRACKET) {
    if (load<u8>(at + 1) === QUOTE) record(which, at + 2, stringEnd(at + 2));
  } else if (byte !== OPEN_BRACE && byte !== LETTER_N) record(which, at, last + 1);
  return last;
}

/** Returns the address of the last byte, or 0 if the line ends first. */
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

/** Returns the address of the closing quote, or 0 if the line ends first. */
function stringEnd(from: i32): i32 {
  let at = findQuoted(from, QUOTE);
  while (load<u8>(at) === BACKSLASH) {
    if (load<u8>(at + 1) === LF) return 0;
    at = findQuoted(at + 2, QUOTE);
  }
  return load<u8>(at) === QUOTE ? at : 0;
}
