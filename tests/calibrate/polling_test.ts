import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { listSteps } from "../../src/plan/kinds/list_requests.ts";
import { calibrateModel, type ModelOptions } from "../support/calibrated.ts";
import { type CreateApp, type ModelBrowser, Values } from "../support/model_app.ts";

/**
 * An application that reports each job as running for `pending` status requests, with HTTP status
 * `working`. Then the job ends with the state `end`.
 */
function jobs(pending: number, { end = "done", working = 200 } = {}): CreateApp {
  return (seed) => {
    const values = new Values(seed);
    const left = new Map<string, number>();
    const results = new Set<string>();
    return ({ method, path }) => {
      if (method === "POST") {
        const id = values.hex(16);
        left.set(id, pending);
        return { status: 201, json: { id, status: "pending" } };
      }
      const [, kind, id] = path.split("/");
      if (kind === "results") {
        return results.has(id) ? { json: { rows: 3 } } : { status: 404, json: { error: "none" } };
      }
      const count = left.get(id);
      if (count === undefined) return { status: 404, json: { error: "no such job" } };
      left.set(id, count - 1);
      if (count > 0) return { status: working, json: { id, status: "running" } };
      if (end !== "done") return { json: { id, status: end } };
      const result = values.hex(16);
      results.add(result);
      return { json: { id, status: end, result } };
    };
  };
}

function use(browser: ModelBrowser): void {
  const { id } = JSON.parse(browser.send("POST", "/jobs", { json: { kind: "tea" } }).body);
  for (;;) {
    const { status, result } = JSON.parse(browser.send("GET", `/jobs/${id}`).body);
    if (status === "running") continue;
    browser.send("GET", `/results/${result}`);
    return;
  }
}

/** Calibrates a recording in which the job ended at the third status request. */
function calibrated(live: CreateApp, options: ModelOptions = {}) {
  return calibrateModel({ create: jobs(2), use }, { live, start: "all", gap: 0, ...options });
}

for (
  const [name, pending] of [
    ["at once", 0],
    ["sooner than recorded", 1],
    ["later than recorded", 9],
  ] as const
) {
  for (const start of ["all", "bare"] as const) {
    Deno.test(`calibratePlan reports a plan (${start}) as proven if the polled job ends ${name}`, async () => {
      const { calibration, kinds, isValid, text } = await calibrated(jobs(pending), { start });
      assertEquals(kinds.length, 3);
      assert(calibration.proven, JSON.stringify(calibration.calls));
      assert(isValid);
      assertStringIncludes(text, "expression: $.result");
    });
  }
}

Deno.test("calibratePlan does not report a plan as proven if the polled job does not end", async () => {
  const { calibration } = await calibrated(jobs(Infinity));
  assertEquals(calibration.proven, false);
  const [, poll] = calibration.calls;
  assertEquals([poll.kind, poll.differences[0]], [
    "refused",
    "`jsonpath expression $.status equals done` still false after 1,000 attempts",
  ]);
  assertStringIncludes(
    calibrationText(calibration, (text) => text, true),
    "still false after 1,000 attempts",
  );
});

Deno.test("calibratePlan does not report a plan as proven if the polled job ends in a different state than recorded", async () => {
  const { calibration } = await calibrated(jobs(1, { end: "failed" }));
  assertEquals([calibration.proven, calibration.calls[1].kind], [false, "refused"]);
});

Deno.test("calibratePlan reports one failed call, not one per attempt, if a polled status request fails", async () => {
  const { calibration } = await calibrated(jobs(9, { working: 500 }));
  const [, poll] = calibration.calls;
  assertEquals([poll.kind, poll.differences[0]], ["refused", "status 500 instead of 200"]);
  const [{ asRecorded, calls }] = calibration.rounds;
  assertEquals([asRecorded, calls, calibration.proven], [2, 3, false]);
});

Deno.test("calibratePlan compares every attempt of a `retry` step if it cannot evaluate the step's condition", async () => {
  const { calibration } = await calibrated(jobs(2), {
    edit(plan) {
      for (const { retry } of listSteps(plan.scenarios.recorded.flow)) {
        if (retry !== undefined) retry.until = "${result}";
      }
      return plan;
    },
  });
  assertEquals(calibration.calls.length, 3);
});
