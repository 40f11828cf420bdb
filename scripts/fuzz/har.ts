import { assertSurvivesEdits } from "../../tests/properties/har_conversions.ts";
import { harFiles } from "../../tests/support/har_files.ts";
import { assertSurvivesDamage } from "../../tests/properties/har_fuzz.ts";
import type { Target } from "./target.ts";

const FILES = ["shapes", "real", "labelled"].flatMap((folder) => harFiles(`testdata/har/${folder}`))
  .filter(({ bytes }) => bytes.length < 100_000);

/** Checks that damaged HARs read, or fail with a position, exactly if JSON.parse reads or fails. */
export const damagedHars: Target = {
  name: "HAR: bytes damaged, read",
  unit: "mutations",
  long: 200_000,
  perTrial: 1,
  async run(trials) {
    await assertSurvivesDamage(FILES, trials);
    return trials.numRuns;
  },
};

/** Checks that changed HARs convert to a plan that passes `validate`, or give an InputError. */
export const editedHars: Target = {
  name: "HAR: values changed, converted",
  unit: "mutations",
  long: 50_000,
  perTrial: 1,
  async run(trials) {
    await assertSurvivesEdits(FILES, trials);
    return trials.numRuns;
  },
};
