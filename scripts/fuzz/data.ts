import fc from "fast-check";
import { assertRowsOrExplained, dataFile } from "../../tests/properties/hostile_data.ts";
import type { Target } from "./target.ts";

/** Checks that reading a CSV or JSON data file either returns rows or throws an InputError. */
export const dataFiles: Target = {
  name: "data: CSV and JSON",
  unit: "files",
  long: 200_000,
  perTrial: 1,
  run(trials) {
    fc.assert(fc.property(dataFile, assertRowsOrExplained), trials);
    return trials.numRuns;
  },
};
