import { assertEquals } from "@std/assert";
import { convertHar } from "../../../src/convert/from_har.ts";
import { listRequests, listSteps } from "../../../src/plan/kinds/list_requests.ts";
import { runInVirtualTime } from "../../support/run_in_virtual_time.ts";
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

/**
 * Runs the plan of a recorded job with `--checks status`. The job ends after `requests` requests.
 */
async function runJob(pending: { status: number; body: string }, requests: number) {
  const polls = [1, 2, 3].map((n) => ({
    request: "GET /jobs/7001",
    by_script: true as const,
    ...(n < 3
      ? { status: pending.status, response: JSON.parse(pending.body) }
      : { status: 200, response: { status: "done" } }),
  }));
  const calls = [...polls, { request: "GET /results", status: 200 }];
  const { plan } = convertHar(recordingOf(calls), { checks: "status" });
  assertEquals(plan.thresholds, { checks: ["rate==1"], http_req_failed: ["rate==0"] });
  let sent = 0;
  const { summary } = await runInVirtualTime(plan, {
    respond: () => ++sent < requests ? pending : { status: 200, body: '{"status":"done"}' },
  });
  return summary.passed;
}

for (const status of [200, 404]) {
  const pending = { status, body: '{"status":"running"}' };
  Deno.test(`a run with checks passes if a job returns status ${status} more often than in the recording before it ends`, async () => {
    assertEquals(await runJob(pending, 7), true);
  });

  Deno.test(`a run with checks fails if a job is still running after all attempts, with status ${status}`, async () => {
    assertEquals(await runJob(pending, Infinity), false);
  });
}

Deno.test("a plan with a poll gets no threshold on failed requests if a recorded call failed", () => {
  const calls = [
    { request: "GET /jobs/7001", response: { status: "running" } },
    { request: "GET /jobs/7001", response: { status: "done" } },
    { request: "GET /broken", status: 500 },
  ];
  const { plan } = convertHar(recordingOf(calls), { checks: "status" });
  assertEquals(plan.thresholds, { checks: ["rate==1"] });
});
