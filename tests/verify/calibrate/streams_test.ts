import { assertEquals } from "@std/assert";
import { calibrationText } from "../../../src/cli/calibrate/calibration_text.ts";
import { calibrateModel } from "../../support/calibrated.ts";
import { Values } from "../../support/model_app.ts";
import type { Model } from "../../support/model_apps.ts";

/** Jobs whose events contain the key of the result. The number of events varies. */
const JOBS: Model = {
  create(seed) {
    const values = new Values(seed);
    const keys = new Set<string>();
    return ({ method, path }) => {
      if (method === "POST") return { json: { ok: true } };
      if (path !== "/events") {
        return keys.has(path.slice(9)) ? { json: { tea: "green" } } : { status: 404, json: {} };
      }
      const key = values.hex(16);
      keys.add(key);
      const steps = Array.from(
        { length: seed + 1 },
        (_, step) => JSON.stringify({ type: "step", step }),
      );
      return { events: [...steps, JSON.stringify({ type: "ready", key }), '{"type":"bye"}'] };
    };
  },
  use(browser) {
    browser.send("POST", "/jobs", { json: { tea: "green" } });
    const { body } = browser.send("GET", "/events");
    browser.send("GET", `/results/${/"key":"(\w+)"/.exec(body)![1]}`);
  },
};

Deno.test("calibratePlan verifies a plan that reads events, and does not compare their number", async () => {
  const { calibration, plan } = await calibrateModel(JOBS, { start: "all" });
  assertEquals(calibration.proven, true, calibrationText(calibration, (text) => text, true));
  assertEquals(plan.scenarios.recorded.flow[1].request?.sse, {
    until: { type: "jsonpath", expression: "$.type", equals: "ready" },
  });
  assertEquals(calibration.removed, []);
});
