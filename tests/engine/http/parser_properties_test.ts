import {
  checkAnswers,
  checkAnswersAfterOthers,
  checkDamagedAnswers,
} from "../../support/answer_properties.ts";

Deno.test("parser: generated answers are read as meant, in any pieces", () =>
  checkAnswers({ numRuns: 500 }));

Deno.test("parser: damaged answers end the same, in any pieces", () =>
  checkDamagedAnswers({ numRuns: 500 }));

Deno.test("parser: answers are read the same after others", () =>
  checkAnswersAfterOthers({ numRuns: 500 }));
