import type { Assertion } from "../../../plan/kinds/conditions.ts";
import { statusTest } from "../../../plan/text/tags.ts";

/** Lowest and highest status that a k6 response callback accepts. */
const [LOWEST, HIGHEST] = [100, 599];

/**
 * Returns the JavaScript code for a k6 response callback that accepts the statuses in `list`, the
 * `expected_statuses` of a plan.
 */
export function expectedStatusesCode(list: readonly (number | string)[]): string {
  return callback(statusTest(list)!);
}

/**
 * Returns the JavaScript code for a k6 response callback that accepts the statuses that pass the
 * assertions of a request. Returns undefined if no assertion tests the status.
 */
export function assertedStatusesCode(assertions: readonly Assertion[]): string | undefined {
  const tests = assertions.filter((assertion) => assertion.type === "status");
  if (tests.length === 0) return undefined;
  return callback((status) =>
    tests.every(({ equals, one_of, matches }) =>
      (equals === undefined || status === equals) && (one_of?.includes(status) ?? true) &&
      (matches === undefined || new RegExp(matches).test(String(status)))
    )
  );
}

/** Returns JavaScript code that tests whether `status` is in a list of codes and ranges. */
export function statusListCode(list: readonly (number | string)[], status: string): string {
  return rangesOf(statusTest(list)!).map(([from, to]) =>
    from === to ? `${status} === ${from}` : `${status} >= ${from} && ${status} <= ${to}`
  ).join(" || ");
}

function callback(isExpected: (status: number) => boolean): string {
  const codes = rangesOf(isExpected).map(([from, to]) =>
    from === to ? String(from) : `{ min: ${from}, max: ${to} }`
  );
  // No response has the status 999, so every response fails.
  return `http.expectedStatuses(${codes.length === 0 ? "999" : codes.join(", ")})`;
}

/** Returns the ranges of expected statuses. `from` and `to` are inclusive. */
function rangesOf(isExpected: (status: number) => boolean): [from: number, to: number][] {
  const ranges: [from: number, to: number][] = [];
  for (let status = LOWEST; status <= HIGHEST; status++) {
    if (!isExpected(status)) continue;
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === status - 1) last[1] = status;
    else ranges.push([status, status]);
  }
  return ranges;
}
