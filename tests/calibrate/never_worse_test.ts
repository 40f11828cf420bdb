import { assertEquals, assertStringIncludes } from "@std/assert";
import { calibratedPlanText } from "../../src/cli/calibrate/calibrated_plan_text.ts";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { calibrateModel } from "../support/calibrated.ts";
import type { Model } from "../support/model_apps.ts";

/** The application offers a new build in each session, but serves only the first one. */
const NEW_BUILDS: Model = {
  create(seed) {
    return ({ path, query }) => {
      if (path === "/start") return { json: { build: `b7f3c91e4d5${seed}` } };
      const known = query.get("build") === "b7f3c91e4d51";
      return known ? { json: { parts: [1] } } : { status: 404, text: "unknown build" };
    };
  },
  use(browser) {
    browser.send("GET", "/start");
    browser.send("GET", "/parts?build=b7f3c91e4d51");
    browser.send("POST", "/done", { form: { at: "end" } });
  },
};

Deno.test("calibratePlan keeps the given plan, unchanged, if its repairs cost a call that worked", async () => {
  const found = await calibrateModel(NEW_BUILDS, {
    edit: (plan) => ({ ...plan, name: "as given" }),
  });
  const { calibration, edits } = found;
  assertEquals([calibration.kept, calibration.proven, edits], ["given", false, 0]);
  assertEquals(calibratedPlanText(found, "# as given\n").text, "# as given\n");
  const text = calibrationText(calibration, (text) => text, false);
  assertStringIncludes(text, "kept as it was given");
});
