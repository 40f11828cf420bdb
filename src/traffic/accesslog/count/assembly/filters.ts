import * as scope from "../filter_scopes";
import { DROPPED, DROPPED_BYTES, RECORD_RESULT, STATUS_RESULTS } from "../memory";

/**
 * Calls the filters whose scope is `scope` for the request in the `LISTED` entry at address `at`.
 * Returns a result; see filter_scopes.ts.
 */
declare function ask(scope: i32, at: i32): i32;

/** Scopes of all filters, as a bit mask; see filter_scopes.ts. */
let scopes: i32 = 0;
/**
 * Number of the first filter whose result depends on more than a request's time in seconds and its
 * status, or `KEPT` if there is no such filter.
 */
let firstOther: i32 = scope.KEPT;
let lastSecond: u32 = 0;
let secondResult: i32 = scope.UNKNOWN;
/** Result for requests without a user agent. */
let noAgentResult: i32 = scope.UNKNOWN;

/**
 * Sets the scopes of all filters, and the number of the first filter whose result depends on more
 * than a request's time in seconds and its status. Resets the drop counts.
 */
export function setFilters(newScopes: i32, newFirstOther: i32): void {
  scopes = newScopes;
  firstOther = newFirstOther;
  memory.fill(DROPPED, 0, DROPPED_BYTES);
}

/**
 * Reports whether `result` is final, which means that no filter that needs more than the time and
 * the status can change it.
 */
export function isFinal(result: i32): bool {
  return result < firstOther;
}

/** Reports whether `lateResult` may call a filter, which reads the request in `LISTED`. */
export function needsRequest(): bool {
  return (scopes & ~(scope.SECOND | scope.STATUS)) !== 0;
}

/** Counts a request that the filter with number `filter` dropped. */
export function countDropped(filter: i32): void {
  const at = DROPPED + filter * 4;
  store<u32>(at, load<u32>(at) + 1);
}

/**
 * Calls the filters that depend only on the second or the status. Returns `KEPT` or the number of
 * the first filter that drops the request. `at` is the address of the request's `LISTED` entry.
 */
export function earlyResult(second: u32, status: u32, at: i32): i32 {
  let result: i32 = scope.KEPT;
  if ((scopes & scope.SECOND) !== 0) {
    if (second !== lastSecond || secondResult === scope.UNKNOWN) {
      secondResult = ask(scope.SECOND, at);
      lastSecond = second;
    }
    result = secondResult;
  }
  if ((scopes & scope.STATUS) === 0) return result;
  const known = STATUS_RESULTS + status;
  if (load<u8>(known) === scope.UNKNOWN) store<u8>(known, <u8> ask(scope.STATUS, at));
  return min(result, <i32> load<u8>(known));
}

/**
 * Calls the filters that depend on the endpoint, the user agent, the host or the whole request.
 * Returns `KEPT` or the number of the first filter that drops the request. `at` is the address of
 * the request's `LISTED` entry.
 */
export function lateResult(record: i32, agentRecord: i32, hostRecord: i32, at: i32): i32 {
  let result: i32 = scope.KEPT;
  if ((scopes & scope.ENDPOINT) !== 0) result = recordResult(record, scope.ENDPOINT, at);
  if ((scopes & scope.AGENT) !== 0) result = min(result, agentResult(agentRecord, at));
  if ((scopes & scope.HOST) !== 0) result = min(result, recordResult(hostRecord, scope.HOST, at));
  return (scopes & scope.REQUEST) === 0 ? result : min(result, ask(scope.REQUEST, at) & scope.KEPT);
}

function agentResult(record: i32, at: i32): i32 {
  if (record !== 0) return recordResult(record, scope.AGENT, at);
  if (noAgentResult === scope.UNKNOWN) noAgentResult = ask(scope.AGENT, at);
  return noAgentResult;
}

function recordResult(record: i32, which: i32, at: i32): i32 {
  const known = <i32> load<u8>(record, RECORD_RESULT);
  if (known !== scope.UNKNOWN) return known;
  const result = ask(which, at);
  if ((result & scope.MASK_ONCE) === 0) store<u8>(record, <u8> result, RECORD_RESULT);
  return result & scope.KEPT;
}
