import { assertEquals } from "@std/assert";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import { areConsequences, findMissedMessages } from "../../src/calibrate/sockets.ts";
import type { CallOutcome } from "../../src/calibrate/attempts.ts";
import { addSockets } from "../../src/calibrate/sockets.ts";

const MISSED = "WS /live: no message within 5s";
const CLOSED = "WS /live: the WebSocket was closed (code 1011: no message within 5s)";

/**
 * Returns a flow with a request and then a WebSocket, whose steps are `steps`. A string in `steps`
 * is the method of a request.
 */
function flowOf(...steps: readonly (string | Step)[]): Step[] {
  const inner = steps.map((step): Step =>
    typeof step === "string" ? { request: { method: step, url: "/" } } : step
  );
  return [{ request: { url: "/before" } }, { websocket: { url: "/live", steps: inner } }];
}

function missedIn(flow: readonly Step[], errors: readonly string[] = [MISSED]) {
  const all: Request[] = [];
  for (const { request, websocket } of flow) {
    if (request) all.push(request);
    for (const step of websocket?.steps ?? []) if (step.request) all.push(step.request);
  }
  return findMissedMessages(flow, { sessions: 1, failed: 1, errors }, {
    indexOf: (request) => all.indexOf(request),
    isWrite: (index) => all[index].method === "POST",
  });
}

Deno.test("findMissedMessages attributes a missed message to the last write since the preceding message, or else to the last call", () => {
  const expect = { expect: {} };
  const cases: [flow: Step[], cause: number | undefined, before: number[]][] = [
    [flowOf("POST", "GET", expect), 1, [0, 1, 2]],
    [flowOf("GET", "GET", expect), 2, [0, 1, 2]],
    [flowOf("POST", { send: "a" }, "GET", expect), 2, [0, 1, 2]],
    [flowOf("POST", { send: "a" }, expect), undefined, [0, 1]],
    [flowOf(expect), undefined, [0]],
  ];
  for (const [flow, cause, before] of cases) {
    assertEquals(missedIn(flow), [{ before, error: MISSED, ...(cause && { cause }) }]);
  }
  assertEquals(missedIn(flowOf("POST", expect), [CLOSED]), []);
});

Deno.test("areConsequences is true only if a call before the missing message failed in each iteration", () => {
  const [missed] = missedIn(flowOf("POST", { expect: {} }, "GET"));
  const outcome = (iteration: number, index: number, error?: string): CallOutcome => ({
    user: 1,
    iteration,
    index,
    differences: [],
    ...(error !== undefined && { error }),
  });
  const report = (...errors: string[]) => ({ sessions: 2, failed: 2, errors });
  const early = [outcome(1, 1, "404"), outcome(2, 1, "404")];
  assertEquals(areConsequences(report(MISSED), [missed], early, 2), true);
  assertEquals(areConsequences(report(MISSED), [missed], early, 3), false);
  assertEquals(areConsequences(report(MISSED, CLOSED), [missed], early, 2), false);
  assertEquals(areConsequences(report(), [missed], early, 2), false);
  const late = [outcome(1, 1, "404"), outcome(2, 1), outcome(2, 2, "404")];
  assertEquals(areConsequences(report(MISSED), [missed], late, 2), false);
});

Deno.test("addSockets marks merged reports as a consequence of failed calls only if every report with failures has this mark", () => {
  const explained = { sessions: 1, failed: 1, errors: ["a"], isConsequence: true } as const;
  const other = { sessions: 1, failed: 1, errors: ["b"], early: [{ index: 1, error: "b" }] };
  assertEquals(addSockets(explained, { sessions: 2, failed: 0, errors: [] }).isConsequence, true);
  assertEquals(addSockets(explained, other), {
    sessions: 2,
    failed: 2,
    errors: ["a", "b"],
    early: [{ index: 1, error: "b" }],
  });
});
