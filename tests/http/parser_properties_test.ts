import {
  checkDamagedResponses,
  checkResponses,
  checkResponsesAfterOthers,
} from "../properties/response_properties.ts";

Deno.test("parser: parses generated responses correctly, regardless of how the input is chunked", () =>
  checkResponses({ numRuns: 500 }));

Deno.test("parser: gives the same result for a damaged response, regardless of how the input is chunked", () =>
  checkDamagedResponses({ numRuns: 500 }));

Deno.test("parser: earlier responses do not affect the result", () =>
  checkResponsesAfterOthers({ numRuns: 500 }));
