import { assertEquals } from "@std/assert";
import { convertHar } from "../../../src/convert/from_har.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import { verified } from "../../support/verified.ts";
import { type CaseCall, recordingOf } from "./recorded_case.ts";

const CALLS: readonly CaseCall[] = [
  { request: "GET /page", at: [0, 100], response: { id: "5d0be91f-a3c8-4276-9b1e-07c2d4f6a813" } },
  { request: "GET /a", at: [150, 300], response: {} },
  {
    request: "GET /b/5d0be91f-a3c8-4276-9b1e-07c2d4f6a813",
    at: [160, 200],
    response: {},
  },
  { request: "GET /c", at: [190, 400], response: {} },
  { request: "GET /d", at: [210, 250], response: {} },
  { request: "GET /e", at: [500, 600], response: {} },
];

function urls(steps: readonly Step[]): unknown[] {
  return steps.map(({ request, parallel, think_time }) =>
    parallel?.branches.map(urls) ?? request?.url ?? think_time
  );
}

function flowOf(thinkTime: boolean): readonly Step[] {
  const options = { parallel: true, thinkTime };
  return convertHar(recordingOf(CALLS), options).plan.scenarios.recorded.flow;
}

Deno.test("--parallel sends requests in parallel if all of them overlapped in the recording", () => {
  assertEquals(urls(flowOf(false)), [
    "/page",
    [["/a"], ["/b/${id}"], ["/c"]],
    "/d",
    "/e",
  ]);
});

/** Returns the pause that `convert` writes for a duration. */
const pauseOf = (duration: string) => ({ type: "constant", duration });

Deno.test("--parallel with --think-time starts requests at their recorded offsets", () => {
  assertEquals(urls(flowOf(true)), [
    "/page",
    pauseOf("50ms"),
    [["/a"], [pauseOf("10ms"), "/b/${id}"], [pauseOf("40ms"), "/c"]],
    "/d",
    pauseOf("100ms"),
    "/e",
  ]);
});

Deno.test("`verify` confirms that a plan with parallel requests is consistent with its recording", async () => {
  const recording = recordingOf(CALLS);
  const { plan } = convertHar(recording, { parallel: true });
  const { verdict, matched } = await verified(plan, recording, { users: 2, iterations: 2 });
  assertEquals([verdict, matched], ["consistent", 24]);
});
