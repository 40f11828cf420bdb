import {
  checkDamagedResponses,
  checkResponses,
  checkResponsesAfterOthers,
} from "../properties/response_properties.ts";

Deno.test("parser: parses generated responses as intended, in any pieces", () =>
  checkResponses({ numRuns: 500 }));

Deno.test("parser: parses damaged responses to the same result, in any pieces", () =>
  checkDamagedResponses({ numRuns: 500 }));

Deno.test("parser: earlier responses do not affect the result", () =>
  checkResponsesAfterOthers({ numRuns: 500 }));
