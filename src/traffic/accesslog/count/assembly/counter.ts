import { LF } from "../../../../base/ascii";
// Counts the lines of an access log, 16 bytes at a time. The input contains only whole lines.
// Counting stops at the first line that the program rejects, and `RequestReader` then parses that
// line. See ../README.md.
import {
  DROPPED,
  DROPPED_BYTES,
  KEPT,
  LISTED,
  LISTED_AGENT,
  LISTED_AGENT_TO,
  LISTED_BYTES,
  LISTED_CLIENT,
  LISTED_CLIENT_TO,
  LISTED_END,
  LISTED_FLAGS,
  LISTED_HOST_TO,
  LISTED_LINE,
  LISTED_METHOD,
  LISTED_METHOD_TO,
  LISTED_OTHER_VISITOR,
  LISTED_PATH,
  LISTED_PATH_TO,
  LISTED_RECORD,
  LISTED_SECOND,
  LISTED_STATUS,
  LISTED_TARGET_TO,
  LISTED_VISITOR,
  MASK_HAS_ID,
  MASK_HAS_QUERY,
  MASK_ONCE,
  RECORD_FIRST,
  RECORD_RESULT,
  SCOPE_AGENT,
  SCOPE_ENDPOINT,
  SCOPE_HOST,
  SCOPE_REQUEST,
  SCOPE_SECOND,
  SCOPE_STATUS,
  STATUS_RESULTS,
  UNKNOWN,
} from "../memory";
import { readLine } from "./line";
import * as request from "./request";
import { buildPlainKey, keyAt, keyLength, replaceIds } from "./request";
import { lineEnd } from "./search";
import { addKey, clearTable, countRecord, countSecond, findRecord, hasRoom } from "./table";
import * as tail from "./tail";
import * as time from "./time";

export { setColumns } from "./line";
export { clearRuns, recordsTo, runsTo } from "./table";
export { setDay } from "./time";

export let lines: u32 = 0;
/** Since the last `clear`. */
export let requests: u32 = 0;
export let withQuery: u32 = 0;
export let withId: u32 = 0;
/** True if counting stopped because a table or the list of runs is full. */
export let isFull: bool = false;

export function setNotation(clock: i32, date: bool, fraction: bool): void {
  time.setNotation(clock, date, fraction);
}

/** Resets all but the line count. `seed` must be random; see table.ts. */
export function clear(seed: u32): void {
  requests = 0;
  withQuery = 0;
  withId = 0;
  clearTable(seed);
}

/**
 * Counts lines. `base` is the log offset of address 0. Returns `to`, or the address of a line that
 * does not match or fit.
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
    const at = readLine(line);
    if (at === 0) return line;
    if (!tallyRequest(base + <f64> line)) {
      isFull = true;
      return line;
    }
    lines++;
    line = lineEnd(at) + 1;
  }
  return line;
}

/** `first` is the log offset of the line. Returns false if a table is full. */
function tallyRequest(first: f64): bool {
  if (!hasRoom()) return false;
  buildPlainKey();
  const hasId = replaceIds();
  const record = findRecord(keyAt, keyLength);
  if (record !== 0) countRecord(record, first);
  else if (addKey(keyAt, keyLength, 1, first) === 0) return false;
  countSecond(time.second);
  requests++;
  withQuery += request.hasQuery;
  withId += hasId;
  return true;
}

/** End of the requests listed so far; see `LISTED` in memory.ts. */
export let listedTo: i32 = LISTED;
let listedLevel: i32 = 0;
let hasVisitor: bool = false;
let hasTail: bool = false;
let hasHost: bool = false;
let isHostFirst: bool = false;

/**
 * What `select` finds: client and agent (`tail`), their hashes (`visitor`, needs `tail`), the host.
 */
export function setParts(tail: bool, visitor: bool, host: bool): void {
  hasTail = tail;
  hasVisitor = visitor;
  hasHost = host;
}

/** `select` lists visitors at or above a level: 0 lists all requests, above 15 none. */
export function setListedLevel(level: i32): void {
  listedLevel = level;
}

export function setHostFirst(isFirst: bool): void {
  isHostFirst = isFirst;
}

/**
 * Calls the filters for the requests in the lines in `[from, to)`. Counts the requests that pass,
 * and lists those that `setListedLevel` selects. `base` is the log offset of address 0. Returns
 * `to`, or the address of the first line that does not match, or that does not fit in the list or
 * in a table.
 */
export function select(from: i32, to: i32, base: f64): i32 {
  let line = from;
  isFull = false;
  listedTo = LISTED;
  while (line < to) {
    if (load<u8>(line) === LF) {
      lines++;
      line++;
      continue;
    }
    if (listedTo === LISTED_END) return line;
    request.setStatusAt(0);
    let at = readLine(line);
    if (at === 0) return line;
    const status = statusNumber();
    writeStart(line, status);
    const early = earlyResult(time.second, status, listedTo);
    if (isFinal(early)) countDropped(early);
    else {
      if (hasHost && !tail.readHost(line)) return line;
      if (hasTail && (at = tail.readTail(line, at, isHostFirst)) === 0) return line;
      if (!selectRequest(line, early, base + <f64> line)) {
        isFull = true;
        return line;
      }
    }
    lines++;
    line = lineEnd(at) + 1;
  }
  return line;
}

/**
 * Counts a request that passes; `early` is the result of filters called so far. Returns false if a
 * table is full.
 */
function selectRequest(line: i32, early: i32, first: f64): bool {
  if (!hasRoom()) return false;
  const out = listedTo;
  buildPlainKey();
  const hasId = replaceIds();
  let record = findRecord(keyAt, keyLength);
  if (record === 0) record = addKey(keyAt, keyLength, 0, Infinity);
  if (record === 0) return false;
  let agentRecord = 0;
  if (hasTail) {
    agentRecord = agentKey();
    if (agentRecord < 0) return false;
  }
  let hostRecord = 0;
  if (hasHost) {
    // The key includes the space after the host, so it differs from all endpoints and user agents.
    const length = tail.hostTo + 1 - line;
    hostRecord = findRecord(line, length);
    if (hostRecord === 0) hostRecord = addKey(line, length, 0, Infinity);
    if (hostRecord === 0) return false;
  }
  const isAsked = needsRequest();
  if (isAsked) writeRequest(record, hasId);
  const result = min(early, lateResult(record, agentRecord, hostRecord, out));
  if (result !== KEPT) {
    countDropped(result);
    return true;
  }
  countRecord(record, first);
  countSecond(time.second);
  requests++;
  withQuery += request.hasQuery;
  withId += hasId;
  if (isListed(agentRecord)) {
    if (!isAsked) writeRequest(record, hasId);
    listedTo = out + LISTED_BYTES;
  }
  return true;
}

/** Reports whether to list the last request. If so, stores its visitor in `LISTED`. */
function isListed(agentRecord: i32): bool {
  if (!hasVisitor) return listedLevel === 0;
  const agent = agentRecord === 0 ? tail.NO_AGENT : load<u64>(agentRecord, RECORD_FIRST);
  if (!tail.isSampled(agent, listedLevel)) return false;
  store<u32>(listedTo, tail.visitor, LISTED_VISITOR);
  store<u32>(listedTo, tail.otherVisitor, LISTED_OTHER_VISITOR);
  return true;
}

/** Stores line address, time and status in `LISTED`. */
function writeStart(line: i32, status: u32): void {
  const out = listedTo;
  store<i32>(out, line, LISTED_LINE);
  store<u32>(out, time.second, LISTED_SECOND);
  store<u16>(out, <u16> status, LISTED_STATUS);
}

/** Stores the other fields in `LISTED`. `hasId` states whether an id in the path was replaced. */
function writeRequest(record: i32, hasId: bool): void {
  const out = listedTo;
  store<i32>(out, record, LISTED_RECORD);
  store<u16>(
    out,
    (request.hasQuery ? MASK_HAS_QUERY : 0) | (hasId ? MASK_HAS_ID : 0),
    LISTED_FLAGS,
  );
  store<i32>(out, request.methodAt, LISTED_METHOD);
  store<i32>(out, request.methodTo, LISTED_METHOD_TO);
  store<i32>(out, request.pathAt, LISTED_PATH);
  store<i32>(out, request.pathTo, LISTED_PATH_TO);
  store<i32>(out, request.targetTo, LISTED_TARGET_TO);
  if (hasHost) store<i32>(out, tail.hostTo, LISTED_HOST_TO);
  if (!hasTail) return;
  store<i32>(out, tail.clientAt, LISTED_CLIENT);
  store<i32>(out, tail.clientTo, LISTED_CLIENT_TO);
  store<i32>(out, tail.agentAt, LISTED_AGENT);
  store<i32>(out, tail.agentTo, LISTED_AGENT_TO);
}

/**
 * Address of the agent's record, 0 without an agent, -1 if the table is full. The key begins with a
 * quote, so it differs from endpoints.
 */
function agentKey(): i32 {
  if (tail.agentAt === 0) return 0;
  const at = tail.agentAt - 1;
  const length = tail.agentTo - at;
  let record = findRecord(at, length);
  // A user agent is never an endpoint, so its record has room for its hashes.
  if (record === 0) record = addKey(at, length, 0, reinterpret<f64>(tail.hashAgent()));
  return record === 0 ? -1 : record;
}

function statusNumber(): u32 {
  const at = request.statusAt;
  if (at === 0) return 0;
  return (<u32> load<u8>(at) - 0x30) * 100 + (<u32> load<u8>(at + 1) - 0x30) * 10 +
    (<u32> load<u8>(at + 2) - 0x30);
}

/** Calls the filters of a scope for the request in the `LISTED` entry at `at`. */
declare function ask(scope: i32, at: i32): i32;

let scopes: i32 = 0;
/** The first filter that depends on more than second and status, or `KEPT`. */
let firstOther: i32 = KEPT;
let lastSecond: u32 = 0;
let secondResult: i32 = UNKNOWN;
let noAgentResult: i32 = UNKNOWN;

/**
 * Sets the scopes of all filters, and the number of the first filter whose result depends on more
 * than a request's time in seconds and its status. Resets the drop counts.
 */
export function setFilters(newScopes: i32, newFirstOther: i32): void {
  scopes = newScopes;
  firstOther = newFirstOther;
  memory.fill(DROPPED, 0, DROPPED_BYTES);
}

/** Whether no filter that needs more than time and status can change the result. */
function isFinal(result: i32): bool {
  return result < firstOther;
}

/** Whether `lateResult` may call a filter, which reads the request in `LISTED`. */
function needsRequest(): bool {
  return (scopes & ~(SCOPE_SECOND | SCOPE_STATUS)) !== 0;
}

function countDropped(filter: i32): void {
  const at = DROPPED + filter * 4;
  store<u32>(at, load<u32>(at) + 1);
}

/**
 * Filters on second or status only. Returns `KEPT` or the number of the filter that drops the
 * request.
 */
function earlyResult(second: u32, status: u32, at: i32): i32 {
  let result: i32 = KEPT;
  if ((scopes & SCOPE_SECOND) !== 0) {
    if (second !== lastSecond || secondResult === UNKNOWN) {
      secondResult = ask(SCOPE_SECOND, at);
      lastSecond = second;
    }
    result = secondResult;
  }
  if ((scopes & SCOPE_STATUS) === 0) return result;
  const known = STATUS_RESULTS + status;
  if (load<u8>(known) === UNKNOWN) store<u8>(known, <u8> ask(SCOPE_STATUS, at));
  return min(result, <i32> load<u8>(known));
}

/** The other filters. Returns `KEPT` or the number of the filter that drops the request. */
function lateResult(record: i32, agentRecord: i32, hostRecord: i32, at: i32): i32 {
  let result: i32 = KEPT;
  if ((scopes & SCOPE_ENDPOINT) !== 0) result = recordResult(record, SCOPE_ENDPOINT, at);
  if ((scopes & SCOPE_AGENT) !== 0) result = min(result, agentResult(agentRecord, at));
  if ((scopes & SCOPE_HOST) !== 0) result = min(result, recordResult(hostRecord, SCOPE_HOST, at));
  return (scopes & SCOPE_REQUEST) === 0 ? result : min(result, ask(SCOPE_REQUEST, at) & KEPT);
}

function agentResult(record: i32, at: i32): i32 {
  if (record !== 0) return recordResult(record, SCOPE_AGENT, at);
  if (noAgentResult === UNKNOWN) noAgentResult = ask(SCOPE_AGENT, at);
  return noAgentResult;
}

function recordResult(record: i32, which: i32, at: i32): i32 {
  const known = <i32> load<u8>(record, RECORD_RESULT);
  if (known !== UNKNOWN) return known;
  const result = ask(which, at);
  if ((result & MASK_ONCE) === 0) store<u8>(record, <u8> result, RECORD_RESULT);
  return result & KEPT;
}
