import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { calibrateModel, STARTS } from "../support/calibrated.ts";
import { STORED_PAGES, VERSIONED_PAGE } from "../support/model_apps.ts";

for (const start of STARTS) {
  Deno.test(`calibratePlan staggers users who edit the same page at the same time (${start})`, async () => {
    const { calibration, sent } = await calibrateModel(VERSIONED_PAGE, { start });
    const text = calibrationText(calibration, (text) => text, false);
    assertEquals(calibration.proven, true, text);
    assertEquals(calibration.rounds.at(-1)!.staggered, true);
    assertEquals(calibration.conflicts.map(({ index, user }) => [index, user]), [[2, 2]]);
    assertStringIncludes(
      text,
      "Conflict of users (1)\n  call 3 (user 2, iteration 1): status",
    );
    assertStringIncludes(
      text,
      "4 of 4 calls did their work for 2 users in 2 iterations (the users staggered)",
    );
    const writes = sent.filter(({ method }) => method === "POST").length;
    assert(writes <= calibration.writes.limit);
  });
}

for (const newUser of [true, undefined]) {
  Deno.test(`calibratePlan reports a plan that opens numbered pages as proven, with new_user: ${newUser}`, async () => {
    const { calibration } = await calibrateModel(STORED_PAGES, {
      start: "all",
      edit: (plan) => {
        plan.scenarios.recorded.new_user = newUser;
        return plan;
      },
    });
    assertEquals(calibration.proven, true, calibrationText(calibration, (text) => text, true));
    assertEquals(calibration.conflicts, []);
  });
}
