import {
  checkDamagedResponses,
  checkResponses,
  checkResponsesAfterOthers,
} from "../../tests/support/response_properties.ts";
import type { Target } from "./target.ts";

/** Well-formed answers are read as meant, however their bytes are cut in chunks. */
export const answersInChunks: Target = {
  name: "HTTP: answers in chunks",
  unit: "chunkings",
  long: 1_000_000,
  perTrial: 1,
  run(trials) {
    checkResponses(trials);
    return trials.numRuns;
  },
};

/** Damaged answers end in an answer or a fault of its kind, the same one however they are cut. */
export const damagedAnswers: Target = {
  name: "HTTP: damaged answers in chunks",
  unit: "chunkings",
  long: 1_000_000,
  perTrial: 2,
  run(trials) {
    checkDamagedResponses(trials);
    return 2 * trials.numRuns;
  },
};

/** An answer is read the same after others, whose heads may be known by then. */
export const answersAfterOthers: Target = {
  name: "HTTP: answers after others",
  unit: "answers",
  long: 1_000_000,
  perTrial: 4,
  run(trials) {
    checkResponsesAfterOthers(trials);
    return 4 * trials.numRuns;
  },
};
