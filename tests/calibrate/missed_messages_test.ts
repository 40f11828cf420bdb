import { assertEquals } from "@std/assert";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import { findEarlyCalls } from "../../src/calibrate/rounds.ts";

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
  return findEarlyCalls(flow, { sessions: 1, failed: 1, errors }, {
    indexOf: (request) => all.indexOf(request),
    isWrite: (index) => all[index].method === "POST",
  });
}

Deno.test("findEarlyCalls attributes a missed message to the last write since the preceding message, or else to the last call", () => {
  const expect = { expect: {} };
  const cases: [flow: Step[], cause: number | undefined][] = [
    [flowOf("POST", "GET", expect), 1],
    [flowOf("GET", "GET", expect), 2],
    [flowOf("POST", { send: "a" }, "GET", expect), 2],
    [flowOf("POST", { send: "a" }, expect), undefined],
    [flowOf(expect), undefined],
  ];
  for (const [flow, index] of cases) {
    assertEquals(missedIn(flow), index === undefined ? [] : [{ index, error: MISSED }]);
  }
  assertEquals(missedIn(flowOf("POST", expect), [CLOSED]), []);
});
