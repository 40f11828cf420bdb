import { survivesEdits } from "../../tests/support/har_conversions.ts";
import { harFiles } from "../../tests/support/har_files.ts";
import { survivesDamage } from "../../tests/support/har_fuzz.ts";
import type { Target } from "./target.ts";

const FILES = ["shapes", "real", "labelled"].flatMap((folder) => harFiles(`testdata/har/${folder}`))
  .filter(({ bytes }) => bytes.length < 100_000);

/** Bytes cut out and put in: the file reads, or is refused with its place, exactly as JSON.parse judges. */
export const damagedHars: Target = {
  name: "HAR: bytes damaged, read",
  unit: "mutations",
  long: 200_000,
  perTrial: 1,
  async run(trials) {
    await survivesDamage(FILES, trials);
    return trials.numRuns;
  },
};

/** Values changed: the plan made of it, with all options, passes `validate`, or the HAR is refused. */
export const editedHars: Target = {
  name: "HAR: values changed, converted",
  unit: "mutations",
  long: 50_000,
  perTrial: 1,
  async run(trials) {
    await survivesEdits(FILES, trials);
    return trials.numRuns;
  },
};
