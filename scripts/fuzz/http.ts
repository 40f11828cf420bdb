import {
  checkDamagedResponses,
  checkResponses,
  checkResponsesAfterOthers,
} from "../../tests/properties/response_properties.ts";
import type { Target } from "./target.ts";

/** Checks that well-formed responses are parsed correctly, however they are chunked. */
export const answersInChunks: Target = {
  name: "HTTP: responses in chunks",
  unit: "chunkings",
  long: 1_000_000,
  perTrial: 1,
  run(trials) {
    checkResponses(trials);
    return trials.numRuns;
  },
};

/** Checks that damaged responses result in the same value or error, however they are chunked. */
export const damagedAnswers: Target = {
  name: "HTTP: damaged responses in chunks",
  unit: "chunkings",
  long: 1_000_000,
  perTrial: 2,
  run(trials) {
    checkDamagedResponses(trials);
    return 2 * trials.numRuns;
  },
};

/** Checks that the cached heads of earlier responses do not affect how a response is parsed. */
export const answersAfterOthers: Target = {
  name: "HTTP: responses after others",
  unit: "answers",
  long: 1_000_000,
  perTrial: 4,
  run(trials) {
    checkResponsesAfterOthers(trials);
    return 4 * trials.numRuns;
  },
};
