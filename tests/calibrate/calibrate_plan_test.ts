import { assert, assertEquals } from "@std/assert";
import { calibrateModel, STARTS } from "../support/calibrated.ts";
import {
  CLIENT_PATHS,
  CLIENT_UUIDS,
  COUNTED_IDS,
  CSRF_SHOP,
  JSON_API,
  REDIRECT_CHAIN,
  UNIQUE_MEMBERS,
  UNIQUE_TITLES,
} from "../support/model_apps.ts";

const MODELS = {
  CSRF_SHOP,
  JSON_API,
  REDIRECT_CHAIN,
  COUNTED_IDS,
  UNIQUE_TITLES,
  UNIQUE_MEMBERS,
  CLIENT_UUIDS,
  CLIENT_PATHS,
};

for (const [name, model] of Object.entries(MODELS)) {
  for (const start of STARTS) {
    Deno.test(`calibratePlan reports the repaired plan for ${name} as proven (initial correlation: ${start})`, async () => {
      const { calibration, isValid, diagnostics, text } = await calibrateModel(model, { start });
      if (!calibration.proven) console.log(calibration, text);
      assertEquals(calibration.proven, true);
      assert(isValid, JSON.stringify(diagnostics));
      assert(calibration.writes.sent <= calibration.writes.limit);
    });
  }
}
