import { assertEquals } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { recordedExchanges } from "../convert/har/arbitrary_recording.ts";
import { recordingWith } from "../convert/har/recorded_case.ts";
import { convertedAndVerified } from "../support/verified.ts";

Deno.test("verifyPlan reports no differences for the converted plan of any recording", async () => {
  await fc.assert(
    fc.asyncProperty(recordedExchanges, async (exchanges) => {
      fc.pre(exchanges.length > 0);
      const found = await convertedAndVerified(recordingWith(exchanges), {}, { iterations: 2 });
      assertEquals(
        [found.differing, found.added],
        [[], []],
      );
    }),
    COSTLY,
  );
});
