import { assertEquals } from "@std/assert";
import { convertHar } from "../../../src/convert/from_har.ts";
import { listRequests, listSteps } from "../../../src/plan/kinds/steps/list_requests.ts";
import { recordingOf } from "./recorded_case.ts";

Deno.test("convertHar converts 3,000 equal requests that are not a poll", () => {
  const calls = Array.from({ length: 3_000 }, (_, n) => ({
    request: "GET /heartbeat",
    response: { status: "ok", n },
  }));
  const { flow } = convertHar(recordingOf(calls), {}).plan.scenarios.recorded;
  assertEquals([...listRequests(flow)].length, 3_000);
});

Deno.test("a plan makes more attempts than a recorded poll with 3,000 calls", () => {
  const calls = Array.from({ length: 3_000 }, (_, n) => ({
    request: "GET /jobs/7001",
    response: { status: n < 2_999 ? "running" : "done" },
  }));
  const { flow } = convertHar(recordingOf(calls), {}).plan.scenarios.recorded;
  const retries = [...listSteps(flow)].flatMap(({ retry }) => retry ?? []);
  assertEquals(retries.map(({ attempts }) => attempts), [6_000]);
});
