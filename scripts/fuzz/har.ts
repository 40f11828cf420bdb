import { assertSurvivesEdits } from "../../tests/properties/har_conversions.ts";
import { harFiles } from "../../tests/support/har_files.ts";
import { assertSurvivesDamage } from "../../tests/properties/har_fuzz.ts";
import type { Target } from "./target.ts";

const FILES = ["shapes", "real", "labelled"].flatMap((folder) => harFiles(`testdata/har/${folder}`))
  .filter(({ bytes }) => bytes.length < 100_000);

/**
 * Checks that a damaged file can be read if `JSON.parse` reads it as a HAR, and that reading it
 * otherwise fails with an error that contains a position.
 */
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

/**
 * Checks that converting a changed HAR either results in a plan that passes `validate` or throws an
 * InputError.
 */
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
